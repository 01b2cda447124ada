// Entry point: everything JavaScript can reach is named here, one class a line.

#include <napi.h>

#include "core/cpu.h"
#include "core/free_memory.h"
#include "core/status.h"
#include "napi/addon_data.h"
#include "napi/atom_index_wrap.h"
#include "napi/bank_wrap.h"
#include "napi/cuda_engine_wrap.h"
#include "napi/cuda_rows_wrap.h"
#include "napi/dynamic_wavelet_matrix_wrap.h"
#include "napi/hamming_index_wrap.h"
#include "napi/signature_encoder_wrap.h"
#include "napi/store_wrap.h"
#include "napi/tokenizer_wrap.h"
#include "napi/turn_encoder_wrap.h"
#include "napi/turn_list_wrap.h"
#include "napi/vector_table_wrap.h"
#include "napi/view_wrap.h"

namespace dentate::napi {
namespace {

Napi::Array ErrorCodes(Napi::Env env) {
  auto codes = Napi::Array::New(env, kErrorCodeCount);
  for (int i = 0; i < kErrorCodeCount; ++i) {
    codes[static_cast<std::uint32_t>(i)] = ErrorCodeName(static_cast<ErrorCode>(i));
  }
  return codes;
}

Napi::Array Kernels(Napi::Env env) {
  auto names = Napi::Array::New(env);
  std::uint32_t count = 0;
  for (const Isa isa : SupportedIsas()) names[count++] = IsaName(isa);
  return names;
}

void Initialize(const Napi::CallbackInfo& info) {
  AddonData::Of(info.Env()).error_class = Napi::Persistent(info[0].As<Napi::Function>());
}

void KeepLargeBlocksApart(const Napi::CallbackInfo&) { dentate::KeepLargeBlocksApart(); }

}  // namespace

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  auto* data = new AddonData();
  env.SetInstanceData(data);  // Node deletes it with the environment.
  data->store_class = Napi::Persistent(StoreWrap::Define(env));
  data->bank_class = Napi::Persistent(BankWrap::Define(env));
  data->view_class = Napi::Persistent(ViewWrap::Define(env));
  exports["initialize"] = Napi::Function::New<Initialize>(env, "initialize");
  exports["keepLargeBlocksApart"] =
      Napi::Function::New<KeepLargeBlocksApart>(env, "keepLargeBlocksApart");
  exports["errorCodes"] = ErrorCodes(env);
  exports["kernel"] = IsaName(ActiveIsa());
  exports["kernels"] = Kernels(env);
  exports["AtomIndex"] = AtomIndexWrap::Define(env);
  exports["CudaEngine"] = CudaEngineWrap::Define(env);
  exports["CudaRows"] = CudaRowsWrap::Define(env);
  exports["HammingIndex"] = HammingIndexWrap::Define(env);
  exports["Store"] = data->store_class.Value();
  exports["Tokenizer"] = TokenizerWrap::Define(env);
  exports["TurnEncoder"] = TurnEncoderWrap::Define(env);
  exports["TurnList"] = TurnListWrap::Define(env);
  exports["SignatureEncoder"] = SignatureEncoderWrap::Define(env);
  exports["VectorTable"] = VectorTableWrap::Define(env);
  exports["DynamicWaveletMatrix"] = DynamicWaveletMatrixWrap::Define(env);
  return exports;
}

NODE_API_MODULE(dentate, Init)

}  // namespace dentate::napi
