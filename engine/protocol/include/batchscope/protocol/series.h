// SPDX-License-Identifier: Apache-2.0
/// \file
/// Names of the series that every run has; programs may add any other name.
#pragma once

namespace batchscope::protocol::series {

inline constexpr char kMono[] = "mono";           ///< s, telemetry only: stored as kTime
inline constexpr char kTime[] = "time";           ///< s since 1970, wall time
inline constexpr char kLoss[] = "loss";           ///< mean over the step's samples, training
inline constexpr char kGain[] = "gain";           ///< of a full step: between 1 and the scale
inline constexpr char kGainLow[] = "gain_low";    ///< nine of ten true gains are between this and kGainHigh
inline constexpr char kGainHigh[] = "gain_high";  ///< the other end, where the noise scale is largest
inline constexpr char kRawGain[] = "gain_raw";    ///< from this step's estimates alone
inline constexpr char kScale[] = "scale";         ///< S: batch size over the initial batch size
inline constexpr char kLearningRateFactor[] = "lr_factor";     ///< of the scaling rule, first parameter group
inline constexpr char kLearningRate[] = "lr";                  ///< as applied, first parameter group
inline constexpr char kBatchSize[] = "batch_size";             ///< samples per optimizer step, all replicas
inline constexpr char kLocalBatchSize[] = "local_batch_size";  ///< samples per replica and micro-batch
inline constexpr char kAccumulation[] = "accumulation_steps";  ///< micro-batches beyond the first
inline constexpr char kReplicas[] = "replicas";                ///< that train
inline constexpr char kProgress[] = "progress";                ///< scale-invariant iterations
inline constexpr char kEpoch[] = "epoch";                      ///< epochs finished, with fraction
inline constexpr char kSamples[] = "samples";                  ///< samples consumed so far
inline constexpr char kThroughput[] = "throughput";            ///< samples/s
inline constexpr char kEfficiency[] = "efficiency";            ///< statistical efficiency, 0..1
inline constexpr char kGoodput[] = "goodput";                  ///< samples/s
inline constexpr char kGradSqr[] = "grad_sqr";                 ///< |true gradient|^2, averaged
inline constexpr char kGradVar[] = "grad_var";                 ///< trace of its covariance, averaged
inline constexpr char kNoiseScale[] = "noise_scale";  ///< grad_var / grad_sqr times the initial batch size
inline constexpr char kCriticalBatchSize[] = "critical_batch_size";  ///< at a checkpoint, by its branches
inline constexpr char kStepTime[] = "step_time";                     ///< s, from the end of the step before
inline constexpr char kDataTime[] = "data_time";  ///< s of the step until its batches were there
inline constexpr char kSyncTime[] = "sync_time";  ///< s of the step spent waiting for other replicas
inline constexpr char kModelStepTime[] = "model_step_time";    ///< s, predicted by the fitted model
inline constexpr char kModelError[] = "model_error";           ///< step_time / model_step_time - 1
inline constexpr char kNonFiniteSteps[] = "non_finite_steps";  ///< steps not applied so far, at each of them
inline constexpr char kAccuracy[] = "accuracy";                ///< validation, per epoch
inline constexpr char kValidationLoss[] = "validation_loss";   ///< mean over the samples, per epoch

}  // namespace batchscope::protocol::series
