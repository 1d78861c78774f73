// SPDX-License-Identifier: Apache-2.0
//
// Whether a replica failed for want of memory. LibTorch's allocators and C++'s own say so in their exceptions
// (c10::OutOfMemoryError, DefaultCPUAllocator's c10::Error, std::bad_alloc; Python's MemoryError likewise); a
// process that the kernel killed says nothing, but the kernel counts.
#pragma once

#include <cstdint>
#include <string_view>

namespace batchscope::run {

// Returns whether the text of an exception, or the last lines of a log, tell of a want of memory.
bool tells_of_memory(std::string_view text);

// Processes of this machine that the kernel has killed for want of memory since it started; 0 where it does
// not say.
std::int64_t out_of_memory_kills();

}  // namespace batchscope::run
