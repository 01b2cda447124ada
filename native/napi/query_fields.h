// Reads what a search is asked from its JavaScript object.

#ifndef DENTATE_NAPI_QUERY_FIELDS_H_
#define DENTATE_NAPI_QUERY_FIELDS_H_

#include <napi.h>

#include <memory>

#include "bank/bank.h"
#include "bank/query.h"
#include "bank/select.h"
#include "bank/snapshot.h"

namespace dentate::napi {

bank::SearchQuery ReadSearchQuery(const Napi::Object& object,
                                  std::shared_ptr<const bank::Bank> bank,
                                  const bank::Snapshot& snapshot);
bank::ConjunctiveQuery ReadConjunctiveQuery(const Napi::Object& object,
                                            const bank::Snapshot& snapshot);
bank::Selection ReadSelection(const Napi::Object& object);

// Bits over entries, 32 to a number; those past its end, or the snapshot's, are not in the mask.
bank::EntryMask ReadMask(const Napi::Value& value, std::uint32_t entry_count);
Napi::Value ToBits(Napi::Env env, const bank::EntryMask& mask);

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_QUERY_FIELDS_H_
