// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a job tells a cluster scheduler about its goodput, in AdaptDL's JSON form (adaptdl/sched_hints.py):
///
///     {"initBatchSize": 64, "maxBatchSize": 1024, "localBszBounds": [16, 256], "globalBatchSize": null,
///      "maxProfiledReplicas": 2, "gradientAccumulation": false, "gradParams": {"norm": .., "var": ..},
///      "perfParams": {"alpha_c": .., "beta_c": .., "alpha_n": .., "beta_n": .., "alpha_r": .., "beta_r": ..,
///                     "gamma": ..}}
///
/// Batch sizes are in samples; initBatchSize, maxBatchSize and globalBatchSize over all replicas,
/// localBszBounds of one replica's micro-batch. norm is |true gradient|^2, var the trace of its covariance at
/// the initial batch size; the alphas are s, the betas s per sample or per replica (goodput/model.h). AdaptDL
/// writes null for what is not known yet, and for the maxBatchSize of a job whose batch size is fixed. It has
/// no field for Model's single_gradient: a job that is known only by its hints stays at the initial batch
/// size on one replica without accumulation, as in AdaptDL's scheduler.
#pragma once

#include "batchscope/protocol/json.h"
#include "batchscope/protocol/telemetry.h"

namespace batchscope::protocol {

/// Returns the hints; maxBatchSize, gradParams and perfParams are null where the model has none: a fixed
/// batch size, no variance, no parameters.
Json sched_hints(const Model& model);

/// Reads a model from hints: fields that are absent or null keep Model's defaults, unknown names are ignored.
/// Throws Error(usage) naming the first field that is not of its type or makes no sense: sizes, norms and
/// times below 0, gamma below 1, bounds the wrong way round, an object that lacks a member.
Model model_from_sched_hints(const Json& hints);

/// Returns globalBatchSize, samples; 0 where it is not given. Throws Error(usage) as model_from_sched_hints
/// does.
std::int64_t hinted_batch_size(const Json& hints);

}  // namespace batchscope::protocol
