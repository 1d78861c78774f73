// SPDX-License-Identifier: Apache-2.0
#include "state/memory_limit.h"

#include <algorithm>

namespace batchscope::run {
namespace {

// A tenth, at least one sample.
std::int64_t tenth(std::int64_t samples) { return (samples + 9) / 10; }

}  // namespace

void MemoryLimit::fitted(std::int64_t local) { fitted_ = std::max(fitted_, local); }

std::int64_t MemoryLimit::ran_out(std::int64_t local) {
  if (local <= 1) return 0;
  if (fitted_ >= local) {  // somebody else has taken memory since, or this step needed more
    fitted_ = 0;
    return local - tenth(local);
  }
  if (local - fitted_ <= tenth(local)) return fitted_;
  const bool near = 2 * fitted_ >= local;
  return near ? fitted_ + (local - fitted_) / 2 : local / 2;
}

}  // namespace batchscope::run
