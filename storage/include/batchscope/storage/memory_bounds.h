// SPDX-License-Identifier: Apache-2.0
/// \file
/// The numbers of samples at a time for which earlier runs of a program had memory on this machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace batchscope::storage {

/// What a run has shown about its memory.
struct MemoryBound {
  std::string run = {};                     ///< its id
  std::vector<std::string> arguments = {};  ///< of the program
  std::string working_directory = {};       ///< of the program
  std::vector<std::string> devices = {};    ///< that it has held, each once, in the order of their names
  bool ran_out = false;                     ///< of memory, at least once
  std::int64_t bound = 0;                   ///< on its local batch size, in the end; 0: none
  std::int64_t fitted = 0;                  ///< local batch size of its newest step; 0: unknown
};

/// Returns what the newest 100 runs of a program have shown that have held devices of this machine, newest
/// run first; without runs that were taken from elsewhere. Looks at the newest 1,000 runs of all programs,
/// which bounds its time, and opens the catalogue for reading. Empty where there is no catalogue yet. Throws
/// Error where the catalogue cannot be read.
std::vector<MemoryBound> memory_bounds(const std::filesystem::path& catalogue, const std::string& program);

}  // namespace batchscope::storage
