// SPDX-License-Identifier: Apache-2.0
//
// statfs(2)'s types of file systems that are not on this machine, or need not be.
#pragma once

#include <cstdint>
#include <string_view>

namespace batchscope::storage {

// Empty for all others.
std::string_view network_file_system_name(std::uint32_t type);

}  // namespace batchscope::storage
