// SPDX-License-Identifier: Apache-2.0
//
// This replica: its environment and its place in the group. Made by init_process_group; a single process's
// defaults before that.
#pragma once

#include <chrono>
#include <memory>

#include "batchscope/protocol/environment.h"

namespace batchscope::replica {

class SmallCollectives;

struct Process {
  protocol::Environment environment;
  std::chrono::milliseconds timeout{30'000};      // of one collective
  std::shared_ptr<SmallCollectives> collectives;  // none for a single replica
  bool initialized = false;
};

const Process& process();

}  // namespace batchscope::replica
