// SPDX-License-Identifier: Apache-2.0
//
// The pool's view of one moment: the runs that hold devices or want some, the machine, and what people have
// set. All of it is read from the catalogue and from the runs' supervisors; nothing of it is the pool's own,
// so that a pool can be killed at any time and the next one knows as much.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/policy/moves.h"
#include "batchscope/pool/queue.h"
#include "batchscope/protocol/control.h"
#include "batchscope/run/machine.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::pool {

// Freedom of the pool to move a run now.
enum class Standing {
  outside,    // takes no part: held, paused by a person, after a run that has not finished, or about to end
  fixed,      // keeps the devices that it has
  in_motion,  // the same, until it has arrived where it was sent
  free        // may be given any devices
};

struct Member {
  storage::Run run;
  std::optional<storage::Job> job;  // none: not from the queue
  std::optional<protocol::Model> model;
  std::vector<std::string> held;  // devices, in the order of their names
  // The devices held, and where it is in motion also those that it was sent to.
  std::vector<std::string> reserved;
  Standing standing = Standing::outside;
  std::string note;           // why it is outside or fixed, for a person
  bool to_be_paused = false;  // outside, and still has devices to give back
  int restarts = 0;
  std::vector<policy::Move> moves = {};  // of the last hour
  int max_profiled = 0;                  // replicas that had a first step
  double pause = 0;                      // s, of a restart of it
  double waiting_since = 0;              // s since 1970: when it last had devices, or was submitted
  double held_since = 0;                 // the same: when it got the first of the devices that it has
};

struct World {
  double now = 0;  // s since 1970
  run::Machine machine;
  protocol::PoolSettings settings;
  std::string nodes_trouble;    // with the nodes that a command brings, in a clause; empty: none
  std::vector<Member> members;  // those from the queue in its order, then the others
};

// State of a run beside the catalogue.
struct Contact {
  std::optional<protocol::RunStatus> status;  // none: its supervisor has not answered yet
  bool busy = false;                          // it was told something that it has not done yet
};

// `contact` tells it of a run by its id. Takes runs into the queue that were started on auto replicas, and
// holds those whose predecessor has not finished and never will.
World look(storage::Catalogue& catalogue, const run::Machine& machine,
           const std::function<Contact(const std::string& run)>& contact);

}  // namespace batchscope::pool
