// SPDX-License-Identifier: Apache-2.0
//
// LibTorch's own pools are OpenMP's and MKL's, which it sets itself; OpenBLAS keeps a pool of its own. It is
// reached by name, since which BLAS LibTorch runs on is the system's choice.
#include "threads.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <algorithm>
#include <thread>

namespace batchscope {

int set_threads(const protocol::Environment& environment) {
  const int local = std::max(1, environment.num_replicas / environment.num_nodes);
  if (environment.threads || local > 1) {
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    const int threads = environment.threads.value_or(std::max(1, cores / local));
    at::set_num_threads(threads);
    if (void* set = ::dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))
      reinterpret_cast<void (*)(int)>(set)(threads);
  }
  return at::get_num_threads();
}

}  // namespace batchscope
