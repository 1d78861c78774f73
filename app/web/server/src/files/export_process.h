// SPDX-License-Identifier: Apache-2.0
//
// A child process with output that is read on demand: it waits while nobody reads, so that a slow client
// costs no memory.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>
#include <vector>

namespace batchscope::web {

class ExportProcess {
 public:
  // Starts the program with these arguments. Throws Error(io).
  ExportProcess(const std::string& program, const std::vector<std::string>& arguments);
  // Ends it.
  ~ExportProcess();
  ExportProcess(const ExportProcess&) = delete;
  ExportProcess& operator=(const ExportProcess&) = delete;

  // Waits for more of its output, until it ends or `stop` is set; empty at the end. Throws Error(failure) for
  // a process that has failed, so that its output is not the whole.
  std::string read(const std::atomic<bool>& stop);

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

}  // namespace batchscope::web
