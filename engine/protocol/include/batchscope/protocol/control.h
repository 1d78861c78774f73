// SPDX-License-Identifier: Apache-2.0
/// \file
/// The control protocol of a run: one JSON object a line over the run's Unix socket (paths.h), documented
/// in engine/run/PROTOCOL.md. A request and its two answers:
///
///     {"v":1,"id":7,"command":"rescale","replicas":3}
///     {"v":1,"id":7,"ok":true,"result":{..}}
///     {"v":1,"id":7,"ok":false,"error":{"kind":"conflict","message":".."}}
///
/// After `subscribe`, lines with an "event" instead of an "id" follow.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "batchscope/protocol/replicas.h"
#include "batchscope/protocol/run_state.h"

namespace batchscope::protocol {

/// The `v` of every request and reply.
inline constexpr int kControlVersion = 1;

/// One line from a client.
struct Request {
  /// The command; PROTOCOL.md says what each does.
  enum class Command { status, rescale, checkpoint, pause, resume, stop, subscribe };

  Json id = 0;                                ///< number or string, echoed
  Command command = Command::status;          ///< what is asked
  std::optional<int> replicas;                ///< rescale (this or the next), resume
  std::optional<AutoReplicas> auto_replicas;  ///< instead of a number: the supervisor chooses from now on
  std::vector<std::string> devices;           ///< to use (devices.h); empty: any that are free
  bool by_pool = false;                       ///< "by":"pool": no person asks

  /// Reads a line. Throws Error(usage) naming the field; Error(version) for another protocol version.
  static Request parse(std::string_view line);
  /// Returns the request as it is sent, newline included.
  std::string line() const;
};

/// Returns the command's name as it stands in a request.
const char* command_name(Request::Command command);

/// Returns a reply as it is sent, newline included.
std::string reply_line(const Json& id, const Json& result);
/// Returns an error's reply as it is sent, newline included.
std::string error_line(const Json& id, const Error& error);

/// Returns a reply's `result`; throws the error that it carries, or Error(usage) for what is not a reply.
Json reply_result(const Json& reply);

/// The state of a run, as `status` answers it, as `status` events carry it and as progress bars show it.
struct RunStatus {
  std::string run;                      ///< id
  RunState state = RunState::starting;  ///< run_state.h
  /// During a restart: "checkpoint", "stop", "launch", "restore", "first step"; else empty.
  std::string phase;
  double phase_seconds = 0;              ///< s, since the restart began
  int generation = 0;                    ///< restarts so far
  int replicas = 0;                      ///< of this generation
  int target_replicas = 0;               ///< during a rescale, else equal to replicas
  std::string auto_replicas;             ///< "auto:1-4" while the supervisor chooses their number, else empty
  std::int64_t step = 0;                 ///< optimizer steps done
  int epoch = 0;                         ///< finished
  int epochs = 0;                        ///< asked for; 0: unknown
  std::string loop;                      ///< "train", "validate" or empty
  double loop_fraction = 0;              ///< of this loop, 0..1
  double total_fraction = 0;             ///< of the whole run, 0..1
  double progress = 0;                   ///< scale-invariant iterations done
  double elapsed = 0;                    ///< s of run time, pauses included
  double remaining = -1;                 ///< s, estimate; negative: unknown
  std::map<std::string, double> latest;  ///< newest value of each series
  std::string message;  ///< a sentence where there is something to say (why it failed, how to resume)
  std::vector<std::string> devices;  ///< of this generation, by name; none while there is none
  /// Whether the program goes on after a restart, because it follows a protocol; one that reports nothing may
  /// begin again.
  bool rescalable = false;
  int max_profiled = 0;  ///< replicas, the largest number that has made a step
  double pause = 0;      ///< s, that the last restart took, or the start; 0: unknown
};

/// Writes the `status` object of PROTOCOL.md.
void to_json(Json& json, const RunStatus& status);
/// Reads the `status` object. Throws Error(usage) naming the field.
void from_json(const Json& json, RunStatus& status);

}  // namespace batchscope::protocol
