// SPDX-License-Identifier: Apache-2.0
//
// Training as a branch (protocol/branch.h): every step has the batch size that the variable says, and the
// learning rate that the program's rule gives it. The loop that is under way goes on, pass after pass, until
// the branch's samples are used: an epoch that ended by progress would end after other samples at each batch
// size. Then the process leaves with 0. The samples that were used are a state, so that a branch that is
// restarted goes on where it was.
#pragma once

#include <cstdint>
#include <optional>

#include "adapt/batch_shape.h"
#include "batchscope/protocol/branch.h"
#include "checkpoint/json_state.h"

namespace batchscope::replica {

// Returns the fewest micro-batches of a step of exactly this batch size that the limits allow. `accumulates`:
// a step may have several. Throws Error(usage) where it does not fit.
BatchShape branch_shape(std::int64_t batch_size, int replicas, const goodput::Bounds& limits,
                        bool accumulates, std::int64_t dataset_size);

class Branching {
 public:
  Branching();  // as the environment says; collective where the process is a branch

  bool wanted() const { return branch_.has_value(); }
  const protocol::Branch& branch() const { return *branch_; }
  std::int64_t left() const { return branch_->samples - used_->samples; }  // to train over
  void use(std::int64_t samples) { used_->samples += samples; }

 private:
  // Counts for this run alone: a fork of a branch begins at 0.
  struct Used final : JsonState {
    explicit Used(std::string job) : JsonState("branch"), run(std::move(job)) {}
    const std::string run;
    std::int64_t samples = 0;

   private:
    protocol::Json contents() const override { return {{"run", run}, {"samples", samples}}; }
    void restore(const protocol::Json& json) override {
      if (json.at("run") == run) json.at("samples").get_to(samples);
    }
  };

  std::optional<protocol::Branch> branch_;  // none: this process trains as ever
  std::optional<Used> used_;
};

Branching& branching();

}  // namespace batchscope::replica
