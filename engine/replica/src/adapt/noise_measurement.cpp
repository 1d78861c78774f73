// SPDX-License-Identifier: Apache-2.0
#include "adapt/noise_measurement.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <numeric>

#include "adapt/step_context.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/noise_estimates.h"
#include "batchscope/replica/process_group.h"
#include "process/session.h"

namespace batchscope::replica {
namespace {

constexpr std::int64_t kMostGradients = 10;  // of an estimate: of many estimates the spread is known well

double total(const std::vector<double>& groups) { return std::accumulate(groups.begin(), groups.end(), 0.0); }

}  // namespace

NoiseMeasurement::NoiseMeasurement() {
  if (const char* file = std::getenv(protocol::variable::kNoiseFile)) file_ = file;
  if (const char* count = std::getenv(protocol::variable::kNoiseMicroBatches)) left_ = std::atoi(count);
}

BatchShape NoiseMeasurement::shape(const BatchShape& initial, std::int64_t dataset_size) const {
  const std::int64_t width = initial.local_batch_size * num_replicas();
  const std::int64_t gradients = std::min(kMostGradients, dataset_size / width);
  if (gradients < 2)
    throw Error(ErrorKind::usage, "the noise cannot be measured: the data, " + std::to_string(dataset_size) +
                                      " samples, are fewer than two batches of " + std::to_string(width));
  return {initial.local_batch_size, static_cast<int>(gradients) - 1};
}

bool NoiseMeasurement::add(const goodput::NormSample& norms) {
  goodput::NoiseScale noise(norms.total_sqr.size());
  if (noise.update(norms))
    std::ofstream(file_, std::ios::app)
        << protocol::noise_line({step_context().initial_batch_size, step_context().local_batch_size,
                                 norms.count, total(noise.sqr_by_group()), total(noise.var_by_group())})
        << std::endl;
  left_ -= norms.count;
  return left_ <= 0;
}

NoiseMeasurement& noise_measurement() { return session().part<NoiseMeasurement>(); }

}  // namespace batchscope::replica
