// SPDX-License-Identifier: Apache-2.0
//
// Small files with secrets, which their owner alone can read and write.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace batchscope::web {

// The first `most` bytes of a regular file (no link) of this user that nobody else can read or write; none of
// any other.
std::optional<std::string> read_own_file(const std::filesystem::path& file, std::size_t most);

// Writes the file anew: it has the old text or the new one, whatever happens in between. Returns whether that
// went well.
bool write_own_file(const std::filesystem::path& file, std::string_view text);

}  // namespace batchscope::web
