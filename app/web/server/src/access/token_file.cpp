// SPDX-License-Identifier: Apache-2.0
#include "access/token_file.h"

#include "access/own_file.h"
#include "batchscope/protocol/random_text.h"

namespace batchscope::web {
namespace {

constexpr std::size_t kDigits = 32;

}  // namespace

std::string new_token() { return protocol::random_text(kDigits); }

bool is_token(std::string_view text) {
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string store_token(const std::filesystem::path& file, bool renew) {
  if (!renew)
    if (const auto kept = read_own_file(file, kDigits + 1); kept && is_token(*kept)) return *kept;
  std::string token = new_token();
  write_own_file(file, token);  // where that fails, the token lasts as long as the server
  return token;
}

}  // namespace batchscope::web
