// SPDX-License-Identifier: Apache-2.0
//
// The types are those of <linux/magic.h> and of statfs(2)'s manual page, which knows more.
#include "database/medium.h"

#include <sys/vfs.h>

#include <array>
#include <utility>

#include "batchscope/storage/medium.h"

namespace batchscope::storage {

std::string_view network_file_system_name(std::uint32_t type) {
  using Name = std::pair<std::uint32_t, std::string_view>;
  static constexpr std::array kNames{
      Name{0x6969, "NFS"},        Name{0x517b, "SMB"},     Name{0xfe534d42, "SMB"},  Name{0xff534d42, "SMB"},
      Name{0x65735546, "FUSE"},   Name{0x01021997, "9P"},  Name{0x00c36400, "Ceph"}, Name{0x5346414f, "AFS"},
      Name{0x0bd00bd0, "Lustre"}, Name{0x47504653, "GPFS"}};
  for (const auto& [known, name] : kNames)
    if (known == type) return name;
  return {};
}

std::string network_file_system(const std::filesystem::path& path) {
  struct statfs status {};
  std::filesystem::path existing = std::filesystem::absolute(path);
  while (statfs(existing.c_str(), &status) != 0) {
    if (!existing.has_relative_path()) return {};
    existing = existing.parent_path();
  }
  return std::string(network_file_system_name(static_cast<std::uint32_t>(status.f_type)));
}

std::string network_warning(const std::filesystem::path& path) {
  const std::string name = network_file_system(path);
  if (name.empty()) return {};
  return path.string() + " lies on " + name +
         ", where SQLite's locks may fail and lose records: set BATCHSCOPE_DB to a file on a local disk";
}

}  // namespace batchscope::storage
