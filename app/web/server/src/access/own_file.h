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

// Returns the first `most` bytes of a regular file (no link) of this user that nobody else can read or write;
// none of any other file.
std::optional<std::string> read_own_file(const std::filesystem::path& file, std::size_t most);

// Replaces the file: it has the old text or the new one, whatever happens in between. Returns whether that
// succeeded.
bool write_own_file(const std::filesystem::path& file, std::string_view text);

}  // namespace batchscope::web
