// SPDX-License-Identifier: Apache-2.0
//
// Where the run stands, gathered from telemetry: what progress bars, `status` and the catalogue's row of
// the run show.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "batchscope/goodput/model.h"
#include "batchscope/protocol/control.h"
#include "batchscope/protocol/telemetry.h"
#include "state/remaining_time.h"

namespace batchscope::run {

// A value of a series, which may hold any number, as a whole one; 0 for what can be none.
std::int64_t whole(double value);

class RunBoard {
 public:
  // Begins where an earlier supervisor left the run.
  RunBoard(std::int64_t step, int epoch, int epochs, double fraction, std::map<std::string, double> latest);

  void take(const protocol::Message& message);
  void interrupted();  // the generation ended

  // Monotonic time of the last step or validation batch; 0: none yet.
  double last_progress() const { return last_progress_; }
  std::int64_t step() const { return step_; }
  int epoch() const { return epoch_; }
  int epochs() const { return epochs_; }
  double fraction() const { return fraction_; }
  const std::map<std::string, double>& latest() const { return latest_; }

  std::int64_t local_batch_size() const;  // the newest; 0: unknown
  // Returns the configuration of the newest step, by whichever supervisor; 0 replicas, a local batch size of
  // 0: unknown.
  goodput::Configuration configuration() const;

  // The fields that telemetry knows of.
  void fill(protocol::RunStatus& status) const;

 private:
  std::int64_t newest(const char* series) const;  // a whole number; 0: there is none

  std::int64_t step_ = 0;
  int epoch_ = 0, epochs_ = 0;
  std::string loop_;
  double loop_fraction_ = 0;
  double fraction_ = 0;
  double progress_ = 0;
  double last_progress_ = 0;
  std::map<std::string, double> latest_;
  RemainingTime remaining_;
};

}  // namespace batchscope::run
