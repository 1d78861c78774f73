// SPDX-License-Identifier: Apache-2.0
#include "token_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "batchscope/protocol/random_text.h"

namespace batchscope::web {
namespace {

constexpr std::size_t kDigits = 32;  // 128 bits

bool is_token(std::string_view text) {
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Empty where there is none that only this user knows.
std::string kept(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return {};
  struct stat status {};
  std::array<char, kDigits + 1> text;
  const bool is_own = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
                      (status.st_mode & 0077) == 0;
  const ssize_t size = is_own ? ::read(fd, text.data(), text.size()) : 0;
  ::close(fd);
  const std::string_view token(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return is_token(token) ? std::string(token) : std::string();
}

}  // namespace

std::string store_token(const std::filesystem::path& file, bool renew) {
  if (!renew)
    if (const std::string token = kept(file); !token.empty()) return token;
  const std::string token = protocol::random_text(kDigits);
  ::unlink(file.c_str());
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return token;  // a store that cannot be written: the token lasts as long as the server
  const bool whole = ::write(fd, token.data(), token.size()) == static_cast<ssize_t>(token.size());
  ::close(fd);
  if (!whole) ::unlink(file.c_str());
  return token;
}

}  // namespace batchscope::web
