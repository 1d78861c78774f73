// SPDX-License-Identifier: Apache-2.0
//
// The frame of a program that tests run as a replica: it does its work and prints what came of it as one JSON
// object; an Error is printed with its kind.
#pragma once

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "batchscope/train/process_group.h"
#include "session/leave.h"

extern "C" __attribute__((weak)) void __gcov_dump();  // where coverage is measured

namespace batchscope::testing {

// Ends the process without LibTorch's destructors, which take half a second of a core, and more in a forked
// process, which copies each page that they change. The engine's last words are sent.
[[noreturn]] inline void end_process(int code) {
  if (__gcov_dump) __gcov_dump();
  replica::leave_libraries_behind();
  std::exit(code);
}

template <class Work>
int replica_main(Work work, const std::string& init_method = "env://",
                 std::chrono::milliseconds timeout = std::chrono::seconds(20)) try {
  ProcessGroupOptions options;
  options.timeout = timeout;
  options.init_method = init_method;
  protocol::Json said;
  try {
    init_process_group(options);
    said = work();
  } catch (const Error& error) {
    said = {{"error", error_kind_name(error.kind())}, {"message", error.what()}};
  }
  std::cout << said.dump() << std::endl;
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << std::endl;
  return 1;
}

}  // namespace batchscope::testing
