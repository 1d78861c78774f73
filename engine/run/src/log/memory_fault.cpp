// SPDX-License-Identifier: Apache-2.0
#include "log/memory_fault.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

namespace batchscope::run {

bool tells_of_memory(std::string_view text) {
  constexpr std::array<std::string_view, 7> kWords{
      "out of memory",  // CUDA's, and c10::OutOfMemoryError's
      "OutOfMemoryError",
      "STATUS_ALLOC_FAILED",  // cuBLAS's and cuDNN's, for what they compute in
      "can't allocate memory",
      "not enough memory",  // DefaultCPUAllocator's
      "std::bad_alloc",        "MemoryError"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

std::int64_t out_of_memory_kills() {
  std::ifstream counters("/proc/vmstat");
  std::string name;
  for (std::int64_t value = 0; counters >> name >> value;)
    if (name == "oom_kill") return value;
  return 0;
}

}  // namespace batchscope::run
