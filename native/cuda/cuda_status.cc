#include "cuda/cuda_status.h"

#include <string>

namespace dentate::cuda {

Trouble TroubleOf(int cuda_error) noexcept {
  switch (cuda_error) {
    case 0:
      return Trouble::kNone;
    case 2:    // cudaErrorMemoryAllocation
    case 304:  // cudaErrorOperatingSystem: pinned memory beyond a container's limit
      return Trouble::kOutOfMemory;
    case 3:    // cudaErrorInitializationError
    case 34:   // cudaErrorStubLibrary
    case 35:   // cudaErrorInsufficientDriver
    case 36:   // cudaErrorCallRequiresNewerDriver
    case 46:   // cudaErrorDevicesUnavailable
    case 100:  // cudaErrorNoDevice
    case 101:  // cudaErrorInvalidDevice
    case 102:  // cudaErrorDeviceNotLicensed
    case 127:  // cudaErrorSoftwareValidityNotEstablished
    case 201:  // cudaErrorDeviceUninitialized
    case 209:  // cudaErrorNoKernelImageForDevice
    case 218:  // cudaErrorInvalidPtx
    case 222:  // cudaErrorUnsupportedPtxVersion
    case 802:  // cudaErrorSystemNotReady
    case 803:  // cudaErrorSystemDriverMismatch
    case 804:  // cudaErrorCompatNotSupportedOnDevice
      return Trouble::kNoDevice;
    case 4:    // cudaErrorCudartUnloading
    case 214:  // cudaErrorECCUncorrectable
    case 219:  // cudaErrorNvlinkUncorrectable
    case 226:  // cudaErrorContained
    case 700:  // cudaErrorIllegalAddress
    case 702:  // cudaErrorLaunchTimeout
    case 709:  // cudaErrorContextIsDestroyed
    case 710:  // cudaErrorAssert
    case 714:  // cudaErrorHardwareStackError
    case 715:  // cudaErrorIllegalInstruction
    case 716:  // cudaErrorMisalignedAddress
    case 717:  // cudaErrorInvalidAddressSpace
    case 718:  // cudaErrorInvalidPc
    case 719:  // cudaErrorLaunchFailure
    case 721:  // cudaErrorTensorMemoryLeak
    case 999:  // cudaErrorUnknown
      return Trouble::kDeviceLost;
    default:
      return Trouble::kOther;
  }
}

Status ToStatus(int cuda_error, const char* doing, const char* text) {
  const std::string reason = std::string(text) + " (CUDA error " + std::to_string(cuda_error) + ")";
  switch (TroubleOf(cuda_error)) {
    case Trouble::kNone:
      return Status::Ok();
    case Trouble::kOutOfMemory:
      return {ErrorCode::kOutOfMemory, std::string(doing) + " failed: " + reason};
    case Trouble::kNoDevice:
      return {ErrorCode::kUnavailable, "no CUDA device: " + reason};
    case Trouble::kDeviceLost:
      return {ErrorCode::kUnavailable, "the CUDA device is lost: " + reason};
    default:
      return {ErrorCode::kInternal, std::string(doing) + " failed: " + reason};
  }
}

}  // namespace dentate::cuda
