// SPDX-License-Identifier: Apache-2.0
//
// The run that a job is to come after.
#pragma once

#include <string>

#include "batchscope/storage/catalogue.h"

namespace batchscope::pool {

struct Predecessor {
  enum class State {
    done,     // it has ended as was asked, or there is none
    awaited,  // it may yet
    in_vain   // it will not
  };
  State state = State::done;
  std::string name;  // "digits (k3j2h1g0)"
  std::string end;   // "has failed"; what of it is awaited: "has finished"
};

Predecessor predecessor(storage::Catalogue& catalogue, const storage::Job& job);

// Says why a job is held that nobody holds: the run before it has ended otherwise than was asked.
std::string in_vain_text(const storage::Job& job, const Predecessor& before);

}  // namespace batchscope::pool
