// SPDX-License-Identifier: Apache-2.0
//
// The meaning of SQLite's result codes to a person: the Error with its kind, the file, and what to do.
#pragma once

#include <SQLiteCpp/Exception.h>

#include <filesystem>

namespace batchscope::storage {

// How long a call waits for somebody else's transaction before it gives up with Error(timeout).
inline constexpr int kBusyTimeoutMs = 10'000;

[[noreturn]] void throw_error(const std::filesystem::path& file, const SQLite::Exception& cause);

// The code of a file that cannot be written, or not even be opened, because of where it lies.
bool is_read_only_medium(const SQLite::Exception& cause) noexcept;

}  // namespace batchscope::storage
