// SPDX-License-Identifier: Apache-2.0
//
// A disk without space, for this process: what it writes behind `size` bytes of a file is refused.
#pragma once

#include <signal.h>
#include <sys/resource.h>

#include <cstdint>

namespace batchscope::storage::test {

class FullDisk {
 public:
  explicit FullDisk(std::uint64_t size) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{size, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
};

}  // namespace batchscope::storage::test
