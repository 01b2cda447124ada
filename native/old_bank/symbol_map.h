// Token ids to and from dense symbols, numbered 0, 1, 2, ... as they are first seen in this bank.
//
// A bank uses a few hundred or thousand of the 200,019 tokens. Over dense symbols the depth of the
// wavelet tree follows what is used, not the vocabulary.
//
// Layout. `token_of_[symbol]` is the one list of tokens; `slots_` is an open-addressing table of
// symbol + 1 (0: free), at most three quarters full, that the writer alone reads.
//
// Cost. O(1) a token. 9 to 19 bytes a distinct token.
// Threads. One writer; TokenOf for any thread, for symbols that it read from the content stream.

#ifndef DENTATE_OLD_BANK_SYMBOL_MAP_H_
#define DENTATE_OLD_BANK_SYMBOL_MAP_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/append_vector.h"

namespace dentate::old_bank {

class SymbolMap {
 public:
  // Fills symbols[i] with the symbol of tokens[i], a new one where the token is new. Writer only.
  // When memory runs out, std::bad_alloc is thrown; the tokens met before keep their new symbols.
  void FindOrAdd(std::span<const std::uint32_t> tokens, std::uint32_t* symbols);

  // Replaces each symbol by its token. REQUIRES: symbols of this map.
  void ToTokens(std::span<std::uint32_t> symbols) const noexcept {
    for (std::uint32_t& symbol : symbols) symbol = token_of_[symbol];
  }

  std::size_t size() const noexcept { return token_of_.size(); }
  std::size_t SizeInBytes() const noexcept {
    return token_of_.SizeInBytes() + slots_.capacity() * sizeof(std::uint32_t);
  }

 private:
  std::size_t SlotOf(std::uint32_t token) const noexcept;
  void Grow();

  AppendVector<std::uint32_t, 64> token_of_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace dentate::old_bank

#endif  // DENTATE_OLD_BANK_SYMBOL_MAP_H_
