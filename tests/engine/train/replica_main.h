// SPDX-License-Identifier: Apache-2.0
//
// The frame of a program that tests run as a replica: it does its work and prints what came of it as one JSON
// object; an Error is printed with its kind.
#pragma once

#include <chrono>
#include <iostream>
#include <string>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "batchscope/train/process_group.h"

namespace batchscope::testing {

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
