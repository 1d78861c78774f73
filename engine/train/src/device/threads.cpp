// SPDX-License-Identifier: Apache-2.0
//
// The libraries that compute keep pools of their own: OpenMP's, and MKL's or OpenBLAS's. They are reached by
// name, since which of them LibTorch runs on is the system's choice. at::set_num_threads is not used, because
// it also makes a pool for mobile backends: its threads, which nobody needs, spin for 50 ms from their start.
#include "device/threads.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

namespace batchscope::train {

void use_threads(int threads) {
  for (const char* name : {"omp_set_num_threads", "MKL_Set_Num_Threads", "openblas_set_num_threads"})
    if (void* set = ::dlsym(RTLD_DEFAULT, name)) reinterpret_cast<void (*)(int)>(set)(threads);
}

int set_threads(const protocol::Environment& environment) {
  const int local = std::max(1, environment.num_replicas / environment.num_nodes);
  if (environment.threads || local > 1) {
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    const int threads = environment.threads.value_or(std::max(1, cores / local));
    // LibTorch looks here once in every thread that it computes in.
    for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS"})
      setenv(name, std::to_string(threads).c_str(), 1);
    use_threads(threads);
  }
  return at::get_num_threads();
}

}  // namespace batchscope::train
