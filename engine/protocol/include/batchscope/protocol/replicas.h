// SPDX-License-Identifier: Apache-2.0
/// \file
/// How many replicas a run is to have, as people write it on the command line, in recipes and in requests:
/// "3", or "auto" and "auto:1-4" (or "1-4") for as many as goodput says (goodput/replica_chooser.h).
#pragma once

#include <optional>
#include <string>

#include "batchscope/protocol/json.h"

namespace batchscope::protocol {

inline constexpr int kMostReplicas = 4096;  ///< of one run

/// The range that the supervisor may choose from.
struct AutoReplicas {
  int min = 1;  ///< never fewer
  int max = 0;  ///< never more; 0: as many as the machine has GPUs, or cores

  std::string text() const;                              ///< "auto" where all is left open, else "auto:1-4"
  bool operator==(const AutoReplicas&) const = default;  ///< the same range
};

/// Either a number or such a range.
struct ReplicaCount {
  std::optional<int> number;              ///< this many
  std::optional<AutoReplicas> automatic;  ///< as many as pay

  /// Reads "3", "auto", "auto:2", "auto:1-4" or "1-4". Throws Error(usage) quoting the text and the form.
  static ReplicaCount parse(const std::string& text);

  /// Returns the first generation's number: the number, or `otherwise` brought within the range.
  int first(int otherwise) const;
};

/// Reads a JSON number or a text as parse does. Throws Error(usage) naming neither field nor file.
void from_json(const Json& json, ReplicaCount& count);
/// Writes its text.
void to_json(Json& json, const AutoReplicas& automatic);
/// Throws Error(usage) as parse does.
void from_json(const Json& json, AutoReplicas& automatic);

}  // namespace batchscope::protocol
