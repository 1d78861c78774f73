// SPDX-License-Identifier: Apache-2.0
/// \file
/// How long anything may take before it is given up. All time-outs are here, because they are right only in
/// their order: the process nearer to a fault must give up first. Else the one that waits for it gives up
/// before the fault is named, and blames the wrong one.
///
///     heartbeat < collective < step < rescale, checkpoint < run
#pragma once

#include <chrono>
#include <string>

namespace batchscope::protocol {

/// Time-outs that a person may set, in seconds; `batchscope run --NAME-timeout`, and `[faults]` in a recipe.
struct TimeOuts {
  /// A replica's wait in one collective for the others. The shortest: the replica that waits can say which
  /// rank it waits for and in what. Passed to the replicas (BATCHSCOPE_COLLECTIVE_TIMEOUT); a program's own
  /// ProcessGroupOptions::timeout wins.
  double collective = 30;
  /// The run's wait for any sign of progress (a micro-batch, a step, a validation batch) of any replica: a
  /// hang. Longer than a collective, because no judge is needed where replicas name one another. 0: no run is
  /// ever taken to hang.
  double step = 45;
  /// A restart's wait for its first step, before the old number of replicas is restored. Longer than a step,
  /// because it contains one. AdaptDL's default.
  double rescale = 60;
  /// A planned stop's wait for its checkpoint, before the newest complete one is used. Longer than a step,
  /// because it begins with the end of the one in flight. AdaptDL's default.
  double checkpoint = 120;

  /// Seconds that a supervisor gives the replicas of several nodes to find one another: time_out::kMeeting,
  /// or less, so that they say who is missing before `rescale` gives the restart up.
  double meeting() const;

  /// Throws Error(usage) naming what is not positive, or the two that are in the wrong order, and what to do.
  void check() const;
};

/// A run's own limit (`batchscope run --timeout`) is outside of all of these without being compared with
/// them: it begins a stop, and that stop has its checkpoint's time.

/// Time-outs that nobody has had a reason to set. The names say who waits for what.
namespace time_out {
using namespace std::chrono_literals;

/// A replica says where it is this often, from a thread that nothing in training holds up.
inline constexpr auto kHeartbeat = 250ms;
/// A replica that has not been heard for this long has stopped, and does not merely compute: several
/// heartbeats, so that a busy machine is not a fault.
inline constexpr auto kSilence = 2000ms;
/// The replicas' wait for one another at their start, on several nodes: a program and LibTorch that are read
/// over the network for the first time take most of it. (On one machine it is a collective's.)
inline constexpr auto kMeeting = 120s;
/// The time that the survivors of a crash get for their last words: they fail within milliseconds of it.
inline constexpr auto kLastWords = 1000ms;
/// The same while a checkpoint was asked for: rank 0 may still be writing a good one.
inline constexpr auto kLastWordsWhileSaving = 10s;
/// Replicas that wait for rank 0 to write a checkpoint hear from it this often, or three times within a
/// collective's time-out where that is more often: so that writing may take longer than any collective.
inline constexpr auto kSignOfLife = 2000ms;
/// A replica's wait, when it ends, for a supervisor that does not read.
inline constexpr auto kGoodbye = 2000ms;
/// A replica's time to end by itself after its supervisor is gone: nobody else is left to end one that hangs
/// and writes no checkpoint. As long as the supervisor would have waited.
inline constexpr auto kOrphan = 120s;
/// A generation that has not said hello by then, or in half of the time that a restart may take, is taken for
/// a program that does not speak telemetry.
inline constexpr auto kQuiet = 10s;
/// The time for a fork server's start, until it calls init_process_group(): half a second when the libraries
/// are in memory, several from a slow disk. A program that takes longer is busy with something else, and is
/// executed.
inline constexpr auto kForkServerStart = 20s;
/// The time for a fork, which takes milliseconds; after it the program is executed instead.
inline constexpr auto kFork = 5s;
/// The time for a supervisor's start, until it answers on its control socket.
inline constexpr auto kSupervisorStart = 10s;
/// The time for the start of the agents of other nodes, until each has said where it listens: a step of srun
/// takes a tenth of a second, ssh a second, a program from a network's disk several.
inline constexpr auto kNodeStart = 30s;
/// The time to connect to an agent, and the agent's wait for the token.
inline constexpr auto kNodeConnect = 5s;
/// An agent tells its supervisor this often that its node is there.
inline constexpr auto kNodeBeat = 1000ms;
/// A node that has not been heard for this long is gone. Shorter than a line, so that the supervisor knows
/// that the node is gone before it restarts the replicas.
inline constexpr auto kNodeSilence = 10s;
/// The time after which a TCP line is given up, when its other end confirms neither what was sent nor that it
/// is there.
inline constexpr std::chrono::seconds kNodeLine = 15s;
/// Back-off after crashes without progress: none for the first, then this, doubling up to the longest.
inline constexpr auto kFirstBackOff = 1000ms;
inline constexpr auto kLongestBackOff = 30s;  ///< see kFirstBackOff
}  // namespace time_out

}  // namespace batchscope::protocol
