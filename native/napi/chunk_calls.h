// What JavaScript asks of a bank's chunks: the calls of NativeView and NativeBank that
// src/native/chunk-binding.ts declares. All run off the JavaScript thread.

#ifndef DENTATE_NAPI_CHUNK_CALLS_H_
#define DENTATE_NAPI_CHUNK_CALLS_H_

#include <napi.h>

#include "napi/view_wrap.h"
#include "store/store.h"

namespace dentate::napi {

// Of a view: (query, cancel?).
Napi::Value SearchChunks(const Napi::CallbackInfo& info, const Viewed& viewed);
Napi::Value NearestAtoms(const Napi::CallbackInfo& info, const Viewed& viewed);
Napi::Value AllChunks(const Napi::CallbackInfo& info, const Viewed& viewed);
// (options), of chunks that are due, or open, without their vectors.
Napi::Value ChunkTable(const Napi::CallbackInfo& info, const Viewed& viewed);
Napi::Value ChunkVectors(const Napi::CallbackInfo& info, const Viewed& viewed);
Napi::Value DueChunks(const Napi::CallbackInfo& info, const Viewed& viewed);
Napi::Value OpenChunks(const Napi::CallbackInfo& info, const Viewed& viewed);
Napi::Value CountChunks(const Napi::CallbackInfo& info, const Viewed& viewed);

// Of a bank: (options), (chunks).
Napi::Value IndexChunks(const Napi::CallbackInfo& info, const store::BankHandle& bank);
Napi::Value AppendChunks(const Napi::CallbackInfo& info, const store::BankHandle& bank);

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_CHUNK_CALLS_H_
