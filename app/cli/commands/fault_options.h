// SPDX-License-Identifier: Apache-2.0
//
// The flags, shared by `run` and `resume`, for the handling of faults, for time limits and for the largest
// local batch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace batchscope::protocol {
struct RunSpec;
}

namespace batchscope::cli {

// Empty: as it is.
struct FaultOptions {
  std::string collective_timeout, hang_timeout, rescale_timeout, checkpoint_timeout;  // durations
  std::optional<int> restart_budget;
  std::optional<std::int64_t> max_local_batch_size;
  std::string non_finite;  // a policy

  bool any() const;
  // Throws Error(usage) for values that make no sense, alone or together.
  void apply(protocol::RunSpec& spec) const;
};

// `time` refuses what is not a duration.
void addFaultFlags(CLI::App* command, FaultOptions& options, const CLI::Validator& time);

}  // namespace batchscope::cli
