// SPDX-License-Identifier: Apache-2.0
/// \file
/// Named tokens, beside the owner's: each lets one person look or control, until it is revoked. A running
/// server takes a change at once. They are in `serve.tokens` beside the catalogue, a file that only its owner
/// can read. app/web/server/THREATS.md says what they protect from.
///
/// All functions block on the disk for a moment. They throw Error: corrupt for a file that is damaged, or
/// that others can read or write; io where it cannot be written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace batchscope::web {

/// The right that a token gives.
enum class Right {
  read,     ///< to look
  control,  ///< to do all that the page can do
};

/// The right's name as it is typed and stored: "read", "control".
const char* right_name(Right right) noexcept;

/// A token and its name.
struct NamedToken {
  std::string name = {};      ///< 1 to 32 of a-z, 0-9, '.', '_' and '-', a letter or a digit first
  Right right = Right::read;  ///< what it allows
  std::int64_t made = 0;      ///< Unix time, s
  std::string secret = {};    ///< 32 hexadecimal digits
  std::string run = {};       ///< the only run that it shows, by its id; empty: all
  std::int64_t until = 0;     ///< Unix time, s, from which it is refused; 0: never

  bool operator==(const NamedToken&) const = default;
};

/// Returns the path of the file: `serve.tokens`, beside the catalogue that protocol::catalogue_path() names.
std::filesystem::path tokens_file();

/// Returns the store's named tokens, in the order in which they were made; none where there is no file.
std::vector<NamedToken> named_tokens();

/// Throws Error: usage unless give_token() can read the text. Reads no file.
void check_token_text(const std::string& text);

/// Returns the token "NAME", "NAME:read" or "NAME:control", and makes it where there is none; without a right
/// it is for looking. Throws Error: usage for another text; conflict where the token exists with another
/// right, or there are 1,000.
NamedToken give_token(const std::string& text);

/// Makes a token for looking at one run, for so many seconds. Its name is "link-RUN-" and four digits.
/// Expired tokens are removed. Throws Error: conflict where there are 1,000.
NamedToken give_link(const std::string& run, std::int64_t seconds);

/// Returns the page of the link's run, from the server's address on: "/run/RUN?token=SECRET".
std::string link_path(const NamedToken& link);

/// Revokes the token. Throws Error: not_found where there is none of this name.
void revoke_token(const std::string& name);

/// Revokes all named tokens, also those of a damaged file.
void revoke_all_tokens();

}  // namespace batchscope::web
