// SPDX-License-Identifier: Apache-2.0
//
// Hindrances of this process, each for as long as its object lives.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace batchscope::testing {

// Root may do anything; with this a test that root runs may do no more than any other user, so that what a
// folder's permissions forbid is forbidden.
class Unprivileged {
 public:
  Unprivileged() {
    if (before_ == 0 && seteuid(kNobody) != 0)
      throw std::system_error(errno, std::system_category(), "seteuid");
  }
  ~Unprivileged() {
    if (seteuid(before_) != 0) std::abort();
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;
  const uid_t before_ = geteuid();
};

// No more files can be opened.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{0, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreFiles() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;

 private:
  rlimit before_{};
};

}  // namespace batchscope::testing
