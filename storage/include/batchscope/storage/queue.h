// SPDX-License-Identifier: Apache-2.0
/// \file
/// The catalogue's rows for the pool: the runs that wait in its queue or were taken from it, and which run
/// had which device when.
#pragma once

#include <string>
#include <vector>

namespace batchscope::storage {

/// The end of the run before it that a job waits for, as Slurm's afterok, afterany and afternotok.
enum class AfterEnd {
  ok,   ///< it has finished
  end,  ///< it has ended, in whatever way
  fail  ///< it has failed, or was stopped
};

/// A run in the queue, or one that came from it. The settings that a person asked for stay as submitted,
/// except priority and hold.
struct Job {
  std::string run = {};    ///< its id
  double submitted = 0;    ///< s since 1970
  int priority = 0;        ///< larger goes first, at most protocol::kMostPriority, at least minus that
  std::string after = {};  ///< id of a run that has to end first, or empty
  AfterEnd after_end = AfterEnd::ok;  ///< in which way
  bool held = false;                  ///< a person keeps it from having devices
  bool preemptible = true;            ///< false: it keeps the devices that it gets until its end

  /// Whether the run is paused, or was when its supervisor ended, and no person or sweep has resumed it.
  bool rests = false;
  bool preempted = false;                ///< the pool has paused it, and will resume it
  int crashes = 0;                       ///< times in a row that its supervisor died, and it came no further
  std::vector<std::string> target = {};  ///< devices that the pool wants it to have
  std::string reason = {};               ///< why it has or waits for what it does, a sentence
  double expected_end = 0;               ///< s since 1970; 0: unknown
};

/// A time in which a run had a device.
struct LeaseEvent {
  std::string run = {};     ///< its id
  std::string name = {};    ///< the run's
  std::string device = {};  ///< "cpu:3", "cuda:0"
  int generation = 0;       ///< for which it was taken; -1: unknown
  double since = 0;         ///< s since 1970
  double until = 0;         ///< 0: it still has it
  std::string why = {};     ///< "start", "rescale", .., as Generation::reason has it
};

}  // namespace batchscope::storage
