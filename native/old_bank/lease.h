// Working memory that a thread keeps from one call to the next, so that calls allocate next to
// nothing and thousands of idle banks hold none.
//
// T has SizeInBytes() and kKeepBytes: one that has grown past that is freed when the call ends, as
// is one that an exception left half done.

#ifndef DENTATE_OLD_BANK_LEASE_H_
#define DENTATE_OLD_BANK_LEASE_H_

#include <exception>
#include <memory>
#include <utility>

namespace dentate::old_bank {

// The calling thread's T, for the length of one call. A call inside that call gets another.
template <typename T>
class Lease {
 public:
  Lease() : leased_(std::move(Kept())) {
    if (leased_ == nullptr) leased_ = std::make_unique<T>();
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() {
    if (std::uncaught_exceptions() == 0 && leased_->SizeInBytes() <= T::kKeepBytes) {
      Kept() = std::move(leased_);
    }
  }

  T& operator*() const noexcept { return *leased_; }

 private:
  static std::unique_ptr<T>& Kept() {
    static thread_local std::unique_ptr<T> kept;
    return kept;
  }

  std::unique_ptr<T> leased_;
};

}  // namespace dentate::old_bank

#endif  // DENTATE_OLD_BANK_LEASE_H_
