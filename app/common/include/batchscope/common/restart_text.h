// SPDX-License-Identifier: Apache-2.0
/// \file
/// The last restart of a run in words, part by part, or how far the one under way is.
#pragma once

#include <QString>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/control.h"
#include "batchscope/protocol/json.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// A part of the pause.
struct RestartStep {
  /// How far it is.
  enum class State { open, on, done };
  QString part;                                         ///< "First step"
  State state = State::open;                            ///< see above
  QString value;                                        ///< "12 ms", "0.5 s" so far, or empty
  bool operator==(const RestartStep&) const = default;  ///< of all fields
};

/// A restart.
struct RestartText {
  QString title;                   ///< "Last restart, 1 → 2, 0.31 s", "Restarting, 1 → 2"
  std::vector<RestartStep> steps;  ///< in the order of kPauseParts
};

/// Returns the steps of a pause that is over, by the durations of its parts, s; open where none is known.
std::vector<RestartStep> restartSteps(const std::map<std::string, double>& parts);
/// Returns the start or restart that is under way; empty where there is none. `present` is the number of
/// replicas before it: the status has the new number as soon as these are launched.
std::optional<RestartText> restartUnderWay(const protocol::RunStatus& status, int present);
/// Returns the newest restart that is over; empty before the first.
std::optional<RestartText> restartDone(const std::vector<storage::Generation>& generations);

/// Returns {"title":"Last restart, 1 → 2, 0.31 s","steps":[{"part":"Stop","state":"done","value":"12
/// ms"},..]}; null for none. `state` is "open", "on" or "done".
protocol::Json restartJson(const std::optional<RestartText>& restart);

}  // namespace batchscope::common
