// SPDX-License-Identifier: Apache-2.0
//
// A metric of MLflow's file store, mlruns/EXPERIMENT/RUN/metrics/NAME: a line for each value, "TIME VALUE
// STEP" with the time in ms since 1970; older versions wrote no step, and rows then count from 0.
#pragma once

#include <string>

#include "batchscope/protocol/json.h"
#include "trackers/findings.h"

namespace batchscope::cli {

class MlflowMetricReader : public FileReader {
 public:
  explicit MlflowMetricReader(std::string name) : name_(std::move(name)) {}

  void feed(std::string_view bytes, Findings& findings) override;
  void end(Findings& findings) override;
  std::string trouble() const override { return damage_; }

 private:
  void line(const std::string& text, Findings& findings);

  std::string name_;
  protocol::LineSplitter splitter_;
  std::int64_t rows_ = 0;
  bool hasRest_ = false;  // behind the last newline
  std::string damage_;
};

}  // namespace batchscope::cli
