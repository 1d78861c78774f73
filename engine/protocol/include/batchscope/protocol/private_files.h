// SPDX-License-Identifier: Apache-2.0
/// \file
/// Folders and files that are made for their owner alone. Whoever may open a file can hold a lock on it, so
/// what others can read they can block. What is there already keeps its rights.
#pragma once

#include <filesystem>

namespace batchscope::protocol {

/// Makes the folder and what is missing above it, each 0700. Throws Error(io).
void make_private_directories(const std::filesystem::path& folder);

/// Makes an empty file, 0600, where there is none of this name. What stands in the way is told to whoever
/// opens it then.
void make_private_file(const std::filesystem::path& file) noexcept;

}  // namespace batchscope::protocol
