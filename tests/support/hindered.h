// SPDX-License-Identifier: Apache-2.0
//
// Hindrances of this process, each for as long as its object lives.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

namespace batchscope::testing {

// Root may do anything; with this a test that root runs may do no more than any other user, so that what a
// folder's permissions forbid is forbidden.
class Unprivileged {
 public:
  Unprivileged() {
    if (is_root_) is_hindered_ = seteuid(kNobody) == 0;
  }
  ~Unprivileged() {
    if (is_hindered_) is_hindered_ = seteuid(0) != 0;
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;
  const bool is_root_ = geteuid() == 0;
  bool is_hindered_ = false;
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
