// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where a store had better not lie. SQLite's write-ahead log keeps its index in memory that processes share,
/// which only works on one machine (https://sqlite.org/wal.html), and locks over a network are known to fail.
#pragma once

#include <filesystem>
#include <string>

namespace batchscope::storage {

/// The name of the network file system that the path, or what exists of it, lies on ("NFS", "SMB", "FUSE");
/// empty for a local one, and where it cannot be told. FUSE may be local. Asks the kernel, so it may block as
/// long as the server does.
std::string network_file_system(const std::filesystem::path& path);

/// Returns a warning for a person whose store lies there, a sentence; empty where network_file_system is.
std::string network_warning(const std::filesystem::path& path);

}  // namespace batchscope::storage
