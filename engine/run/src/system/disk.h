// SPDX-License-Identifier: Apache-2.0
//
// The disk that a folder lies on, as a person knows it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace batchscope::run {

struct Disk {
  std::filesystem::path mount;  // where it is mounted
  std::int64_t free = 0;        // bytes that this user may still write
  std::int64_t size = 0;        // bytes
};

// None where there is no such folder.
std::optional<Disk> disk_of(const std::filesystem::path& folder);

}  // namespace batchscope::run
