// SPDX-License-Identifier: Apache-2.0
#include "device/address_space.h"

#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstddef>
#include <string>

#include "batchscope/protocol/error.h"
#include "session/leave.h"

namespace batchscope::train {
namespace {

constexpr std::size_t kOfAThread =
    (128u << 20) + (64u << 10);  // its buffer, and what keeps the account of it
constexpr int kLarge = 256;      // rows and columns of a product that all threads take part in

bool has_room_for(std::size_t bytes) {
  void* const place =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place != MAP_FAILED) munmap(place, bytes);
  return place != MAP_FAILED;
}

}  // namespace

void insist_on_room_for_blas(int threads) {
  rlimit limit{};
  const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  if (!limited || !dlsym(RTLD_DEFAULT, "openblas_get_config")) return;
  if (!has_room_for(static_cast<std::size_t>(threads) * kOfAThread)) {
    // OpenBLAS's thread may have found no room already. Its library waits for it when the process ends, and
    // it asks for memory again for ever.
    replica::leave_libraries_behind();
    throw Error(ErrorKind::io,
                "the limit of " + std::to_string(limit.rlim_cur >> 20) + " MB (ulimit -v " +
                    std::to_string(limit.rlim_cur >> 10) +
                    ") on this process's address space leaves no room for the 128 MB in which each "
                    "of OpenBLAS's threads computes (" +
                    std::to_string(threads) +
                    " here): raise it where the run is started (ulimit -v unlimited), or have fewer "
                    "threads (OMP_NUM_THREADS)");
  }
  const at::Tensor square = at::zeros({kLarge, kLarge});
  at::mm(square, square);
}

}  // namespace batchscope::train
