// SPDX-License-Identifier: Apache-2.0
//
// The run that a job is to come after.
#pragma once

#include <string>

#include "batchscope/storage/catalogue.h"

namespace batchscope::pool {

struct Predecessor {
  enum class State {
    done,     // it has finished, or there is none
    awaited,  // it may finish yet
    in_vain   // it will not: it failed, was stopped or removed
  };
  State state = State::done;
  std::string name;  // "digits (k3j2h1g0)"
};

Predecessor predecessor(storage::Catalogue& catalogue, const storage::Job& job);

}  // namespace batchscope::pool
