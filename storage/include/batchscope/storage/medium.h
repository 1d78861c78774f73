// SPDX-License-Identifier: Apache-2.0
/// \file
/// File systems on which a store should not lie. SQLite's write-ahead log keeps its index in memory that
/// processes share, which works only on one machine (https://sqlite.org/wal.html), and locks over a network
/// are known to fail.
#pragma once

#include <filesystem>
#include <string>

namespace batchscope::storage {

/// Returns the name of the network file system of the path, or of its existing part ("NFS", "SMB", "FUSE");
/// empty for a local one, and where that cannot be told. FUSE may be local. Asks the kernel, so it may block
/// as long as the server does.
std::string network_file_system(const std::filesystem::path& path);

/// Returns a sentence that warns of a store there; empty where network_file_system is.
std::string network_warning(const std::filesystem::path& path);

}  // namespace batchscope::storage
