// SPDX-License-Identifier: Apache-2.0
/// \file
/// What people tell the pool, and what the pool tells them: its settings and its decisions, as they are kept
/// in the catalogue and printed by `--json`. The pool gives the devices of a machine to runs
/// (engine/pool/POOL.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "batchscope/protocol/json.h"

namespace batchscope::protocol {

inline constexpr int kMostPriority = 10;  ///< of a job; -10 is the least, 0 the default

/// Policies by which devices may be shared (policy/objective.h): ours, and those of Pollux, AdaptDL and Sia.
inline constexpr std::array<const char*, 5> kPoolPolicies{"fair", "fast", "pollux", "adaptdl", "sia"};

/// Settings of the pool that a person may change.
struct PoolSettings {
  std::string policy = "fair";       ///< one of kPoolPolicies
  bool paused = false;               ///< all runs keep their devices, and nothing is started
  bool draining = false;             ///< nothing is started; runs that train still get devices
  int devices = 0;                   ///< at most so many of each kind; 0: all that the machine has
  double turn = 30;                  ///< s: where more wait than there are devices, how long a turn lasts
  double price_per_device_hour = 0;  ///< in any currency; 0: not set
  std::string scale_command = {};    ///< called with the number of devices that are wanted; empty: none
  std::string preempt_notice = {};   ///< command or http URL that announces the machine's end; empty: none
  std::string agents =
      {};  ///< nodes whose devices it gives away too: "n2,n3=HOST" (node_name.h); empty: none
  std::string agents_by = {};  ///< words that reach them, before HOST PROGRAM ARGUMENTS; empty: ssh
  bool tls = false;            ///< the lines to their agents are encrypted
  std::string nodes_from =
      {};  ///< command that brings nodes and names them, by which `agents` follows; empty: none
  bool nodes_ending = false;  ///< nodes_from is to take its nodes back, and then ends
  bool here = true;           ///< the devices of the pool's own machine are given away too
  bool operator==(const PoolSettings&) const = default;  ///< the same settings

  /// Throws Error(usage) naming the setting that makes no sense.
  void check() const;
};

/// A node of PoolSettings::agents, as the pool saw it last.
struct PoolNode {
  std::string name = {};                             ///< the node's
  bool there = false;                                ///< its agent answers
  double since = 0;                                  ///< s since 1970, when that changed last
  std::string why = {};                              ///< a clause on why it is not there; empty: it is
  std::vector<std::string> cores = {};               ///< by the names that the node gives them
  std::vector<std::string> gpus = {};                ///< the same
  bool operator==(const PoolNode&) const = default;  ///< the same
};

/// Another number of devices that a run might have had.
struct PoolAlternative {
  int devices = 0;     ///< so many
  double speedup = 0;  ///< goodput over that of the number decided, minus 1; -1: it would wait
  bool operator==(const PoolAlternative&) const = default;  ///< the same
};

/// The devices that a decision gives to a run.
struct PoolChoice {
  std::string run = {};                   ///< its id
  std::vector<std::string> devices = {};  ///< that it is to have ("cpu:3", "cuda:0"); none: it waits
  int before = 0;                         ///< devices that it had
  std::string why = {};                   ///< fixed, turn, worth, waits or impossible (policy/allocation.h)
  std::string reason = {};                ///< a sentence
  std::vector<PoolAlternative> alternatives = {};  ///< one device fewer and one more, where it may have them
  bool operator==(const PoolChoice&) const = default;  ///< the same
};

/// A decision of the pool.
struct PoolDecision {
  std::int64_t id = 0;                   ///< ascending: the cursor for tailing; given by the catalogue
  double time = 0;                       ///< s since 1970
  std::string cause = {};                ///< what brought it about, in a few words: "digits arrived"
  std::string policy = {};               ///< the one in force
  std::vector<PoolChoice> choices = {};  ///< of all runs that hold devices or want some
  std::vector<std::string> idle = {};    ///< devices that no run is to have
  double utility = 0;                    ///< share of their speed that the devices are worth, 0..1
  int wanted = 0;                        ///< devices that would be worth having (policy/prices.h)
  std::string advice = {};               ///< a sentence on more or fewer devices, or empty
};

// Objects with a field of the same name for each; a field that is missing keeps its default. What has another
// type throws the library's exception.
/// \cond
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PoolSettings, policy, paused, draining, devices, turn,
                                                price_per_device_hour, scale_command, preempt_notice, agents,
                                                agents_by, tls, nodes_from, nodes_ending, here)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PoolNode, name, there, since, why, cores, gpus)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PoolAlternative, devices, speedup)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PoolChoice, run, devices, before, why, reason, alternatives)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PoolDecision, id, time, cause, policy, choices, idle, utility,
                                                wanted, advice)
/// \endcond

}  // namespace batchscope::protocol
