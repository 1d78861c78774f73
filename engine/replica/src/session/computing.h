// SPDX-License-Identifier: Apache-2.0
//
// The library that a program computes with, as far as its start and its checkpoints depend on it. By itself
// that is the program's own arithmetic, which needs nothing; engine/train's is LibTorch.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "batchscope/protocol/environment.h"

namespace batchscope::replica {

class Computing {
 public:
  virtual ~Computing() = default;

  virtual std::string library() const { return "C++"; }
  virtual std::string device() const { return "cpu"; }

  // Before anything is computed. Returns how many threads will be at it.
  virtual int set_threads(const protocol::Environment& environment) {
    return environment.threads.value_or(1);
  }
  // Computes with so many threads from now on, within those.
  virtual void use_threads(int) {}
  // Takes the device once this replica's place is known, before anything is computed or exchanged.
  virtual void take_device() {}
  // The replicas have met; now what tensors are exchanged by. Returns its name. Collective.
  virtual std::string meet(const protocol::Environment&, std::chrono::milliseconds) { return "none"; }
  // The replica stands, and the supervisor knows of it.
  virtual void begin(int) {}

  // Makes the states of its own that every program has, such as random numbers, and loads them.
  virtual void load_states() {}
  // The program's start, which a restart repeats, is over: puts back what must not depend on it.
  virtual void restore() {}
};

}  // namespace batchscope::replica
