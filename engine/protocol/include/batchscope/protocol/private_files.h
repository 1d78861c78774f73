// SPDX-License-Identifier: Apache-2.0
/// \file
/// Folders and files for their owner alone. Whoever may open a file can hold a lock on it, so a file that
/// others can read, they can block. Existing files and folders keep their modes.
#pragma once

#include <filesystem>

namespace batchscope::protocol {

/// Makes the folder and what is missing above it, each 0700. Throws Error(io).
void make_private_directories(const std::filesystem::path& folder);

/// Makes an empty file, 0600, where there is none of this name. Whoever opens the file then gets the error,
/// if there is one.
void make_private_file(const std::filesystem::path& file) noexcept;

}  // namespace batchscope::protocol
