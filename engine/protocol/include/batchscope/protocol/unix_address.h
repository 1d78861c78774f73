// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where a Unix socket is bound and found.
#pragma once

#include <sys/un.h>

#include <filesystem>

namespace batchscope::protocol {

/// Returns an address for bind and connect. Throws Error(io) naming the path where it is longer than the
/// system allows, 107 bytes. Pure: touches no file.
sockaddr_un unix_address(const std::filesystem::path& path);

}  // namespace batchscope::protocol
