// SPDX-License-Identifier: Apache-2.0
#include "access/token_watch.h"

#include "batchscope/protocol/error.h"

namespace batchscope::web {
namespace {

// Each change is a new inode (write_own_file); the rest is for changes by other hands.
bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_ino == b.st_ino && a.st_size == b.st_size && a.st_mode == b.st_mode &&
         a.st_ctim.tv_sec == b.st_ctim.tv_sec && a.st_ctim.tv_nsec == b.st_ctim.tv_nsec;
}

}  // namespace

const std::vector<NamedToken>& TokenWatch::current() {
  struct stat now {};
  if (::lstat(file_.c_str(), &now) != 0) now = {};
  if (is_same(now, seen_)) return tokens_;
  seen_ = now;
  tokens_.clear();
  try {
    tokens_ = named_tokens();
  } catch (const Error&) {
    // `batchscope serve tokens` says what is wrong with it.
  }
  return tokens_;
}

}  // namespace batchscope::web
