// SPDX-License-Identifier: Apache-2.0
//
// The token of a store, in a file beside its catalogue that only its owner can read. So open pages and kept
// addresses reach a server that is started again.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace batchscope::web {

// A secret of 128 bits, as 32 hexadecimal digits.
std::string new_token();
bool is_token(std::string_view text);

// The one that is kept there, else a new one, which is kept where that can be written. `renew`: a new one in
// any case. A file that others can read, or that holds no token, counts for nothing.
std::string store_token(const std::filesystem::path& file, bool renew);

}  // namespace batchscope::web
