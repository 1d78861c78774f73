// SPDX-License-Identifier: Apache-2.0
#include "batchscope/web/tokens.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <set>

#include "access/own_file.h"
#include "access/token_file.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "batchscope/protocol/paths.h"

namespace batchscope::web {
namespace {

namespace fs = std::filesystem;
using protocol::Json;

constexpr std::size_t kLongestName = 32;
constexpr std::size_t kMostTokens = 1000;
constexpr std::size_t kMostBytes = 1 << 18;  // over twice what so many take
constexpr char kLower[] = "abcdefghijklmnopqrstuvwxyz0123456789";

bool consists_of(std::string_view text, const std::string& letters) {
  return text.find_first_not_of(letters) == std::string_view::npos;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && consists_of(text, std::string(kLower) + "._-") &&
         consists_of(text.substr(0, 1), kLower);
}

std::optional<Right> right_of(std::string_view text) {
  for (const Right right : {Right::read, Right::control})
    if (text == right_name(right)) return right;
  return std::nullopt;
}

Error damaged(const fs::path& file) {
  return {ErrorKind::corrupt,
          file.string() +
              " is damaged, or other users may use it, so no named token is accepted. Remove the file, "
              "then make new tokens with batchscope serve tokens --add NAME"};
}

NamedToken token_in(const Json& json) {
  const auto right = right_of(json.at("right").get_ref<const std::string&>());
  NamedToken token{json.at("name").get<std::string>(),
                   right.value_or(Right::read),
                   json.at("made").get<std::int64_t>(),
                   json.at("secret").get<std::string>(),
                   json.value("run", ""),
                   json.value("until", std::int64_t(0))};
  if (!right || !is_name(token.name) || !is_token(token.secret)) throw Error(ErrorKind::corrupt, "");
  return token;
}

struct Wish {
  std::string name;
  Right right = Right::read;
};

Wish wish_in(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const auto right = colon == std::string::npos ? Right::read : right_of(text.substr(colon + 1));
  if (is_name(name) && right) return {name, *right};
  throw Error(ErrorKind::usage,
              "'" + text +
                  "' is not a token: write NAME, NAME:read or NAME:control; a name has 1 to 32 of "
                  "a-z, 0-9, '.', '_' and '-', a letter or a digit first");
}

// Changes to the file come one after the other.
class Lock {
 public:
  explicit Lock(const fs::path& file) {
    const std::string name = file.string() + ".lock";
    descriptor_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) == 0) return;
    if (descriptor_ >= 0) ::close(descriptor_);
    throw Error(ErrorKind::io, "cannot lock " + name + ": make its folder writable");
  }
  ~Lock() { ::close(descriptor_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int descriptor_ = -1;
};

void write(const fs::path& file, const std::vector<NamedToken>& tokens) {
  Json list = Json::array();
  for (const NamedToken& token : tokens) {
    list.push_back({{"name", token.name},
                    {"right", right_name(token.right)},
                    {"made", token.made},
                    {"secret", token.secret}});
    if (!token.run.empty()) list.back()["run"] = token.run;
    if (token.until > 0) list.back()["until"] = token.until;
  }
  if (!write_own_file(file, Json{{"tokens", list}}.dump(1) + "\n"))
    throw Error(ErrorKind::io,
                "cannot write " + file.string() + ": check the disk, and the permissions of its folder");
}

void add(std::vector<NamedToken>& tokens, const NamedToken& token) {
  if (tokens.size() >= kMostTokens)
    throw Error(ErrorKind::conflict,
                "there are 1,000 tokens: revoke some, with batchscope serve tokens --revoke NAME");
  tokens.push_back(token);
}

}  // namespace

const char* right_name(Right right) noexcept { return right == Right::read ? "read" : "control"; }

fs::path tokens_file() { return protocol::catalogue_path().parent_path() / "serve.tokens"; }

std::vector<NamedToken> named_tokens() {
  const fs::path file = tokens_file();
  std::error_code failure;
  if (fs::symlink_status(file, failure).type() == fs::file_type::not_found) return {};
  const auto text = read_own_file(file, kMostBytes);
  if (!text) throw damaged(file);
  std::vector<NamedToken> tokens;
  std::set<std::string> names;
  try {
    const Json all = Json::parse(*text);
    for (const Json& each : all.at("tokens")) {
      tokens.push_back(token_in(each));
      if (!names.insert(tokens.back().name).second) throw damaged(file);
    }
  } catch (const std::exception&) {
    throw damaged(file);
  }
  return tokens;
}

void check_token_text(const std::string& text) { wish_in(text); }

NamedToken give_token(const std::string& text) {
  const auto [name, right] = wish_in(text);
  const fs::path file = tokens_file();
  const Lock lock(file);
  std::vector<NamedToken> tokens = named_tokens();
  const auto known = std::find_if(tokens.begin(), tokens.end(),
                                  [&, name = name](const auto& each) { return each.name == name; });
  if (known != tokens.end()) {
    if (known->right == right) return *known;
    throw Error(ErrorKind::conflict, "the token " + name + " exists already, with the right '" +
                                         right_name(known->right) +
                                         "': revoke it first, with batchscope serve tokens --revoke " + name);
  }
  add(tokens, {name, right, std::time(nullptr), new_token()});
  write(file, tokens);
  return tokens.back();
}

NamedToken give_link(const std::string& run, std::int64_t seconds) {
  const fs::path file = tokens_file();
  const Lock lock(file);
  std::vector<NamedToken> tokens = named_tokens();
  const std::int64_t now = std::time(nullptr);
  std::erase_if(tokens, [&](const NamedToken& each) { return each.until > 0 && each.until <= now; });
  const auto is_taken = [&](const std::string& name) {
    return std::ranges::count(tokens, name, &NamedToken::name) > 0;
  };
  std::string name;
  do name = "link-" + run + "-" + new_token().substr(0, 4);
  while (is_taken(name));
  add(tokens, {name, Right::read, now, new_token(), run, now + seconds});
  write(file, tokens);
  return tokens.back();
}

std::string link_path(const NamedToken& link) { return "/run/" + link.run + "?token=" + link.secret; }

void revoke_token(const std::string& name) {
  const fs::path file = tokens_file();
  const Lock lock(file);
  std::vector<NamedToken> tokens = named_tokens();
  if (std::erase_if(tokens, [&](const auto& each) { return each.name == name; }) == 0)
    throw Error(ErrorKind::not_found, "there is no token '" + name + "': batchscope serve tokens lists them");
  write(file, tokens);
}

void revoke_all_tokens() {
  const fs::path file = tokens_file();
  std::error_code failure;
  if (fs::symlink_status(file, failure).type() == fs::file_type::not_found) return;  // nothing to be written
  const Lock lock(file);
  fs::remove(file, failure);
  if (failure) throw Error(ErrorKind::io, "cannot remove " + file.string() + ": " + failure.message());
}

}  // namespace batchscope::web
