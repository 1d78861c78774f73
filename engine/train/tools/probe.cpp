// SPDX-License-Identifier: Apache-2.0
//
// batchscope-probe: what this LibTorch is and can do, as one line of JSON, for `batchscope doctor`, which
// does not link LibTorch itself: {"torch","blas","blas_library","threads","cuda","cuda_devices","backends",
// "onednn","onednn_limit","amx_fault"}; the limit is the user's own, and the fault why replicas keep from
// AMX.
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <dlfcn.h>
#include <torch/version.h>

#include <filesystem>
#include <iostream>
#include <string>

#include "batchscope/protocol/json.h"
#include "device/onednn.h"

namespace {

using batchscope::protocol::Json;

// The file that LibTorch's matrix products come from; empty where it brings its own.
std::string blas_library() {
  void* product = ::dlsym(RTLD_DEFAULT, "sgemm_");
  Dl_info info{};
  if (product == nullptr || ::dladdr(product, &info) == 0) return {};
  std::error_code fault;
  const auto file = std::filesystem::canonical(info.dli_fname, fault);
  return fault ? info.dli_fname : file.string();
}

// Debian keeps every implementation in a folder of its name and the reference one in blas/.
std::string blas_name(const std::string& library) {
  if (at::hasMKL()) return "MKL";
  if (::dlsym(RTLD_DEFAULT, "openblas_get_config") != nullptr) return "OpenBLAS";
  if (library.find("/blas/") != std::string::npos) return "reference";
  return library.empty() ? "built in" : std::filesystem::path(library).stem().string();
}

Json backends() {
  Json names = Json::array();
#ifdef USE_C10D_GLOO
  names.push_back("gloo");
#endif
#ifdef USE_C10D_NCCL
  names.push_back("nccl");
#endif
  return names;
}

}  // namespace

int main() {
  const std::string library = blas_library();
  const std::string onednn = at::get_mkldnn_version();
  const char* const limit = batchscope::train::onednn_limit();
  const Json answer{{"torch", TORCH_VERSION},
                    {"blas", blas_name(library)},
                    {"blas_library", library},
                    {"threads", at::get_num_threads()},
                    {"cuda", at::Context::hasCUDART()},  // built with it; hasCUDA() also asks for a GPU
                    {"cuda_devices", at::detail::getCUDAHooks().getNumGPUs()},
                    {"backends", backends()},
                    {"onednn", onednn},
                    {"onednn_limit", limit ? limit : ""},
                    {"amx_fault", batchscope::train::reason_against_amx(
                                      batchscope::train::amx_of_this_processor(), onednn)}};
  std::cout << answer.dump() << std::endl;
}
