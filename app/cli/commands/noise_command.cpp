// SPDX-License-Identifier: Apache-2.0
//
// noise: measures the gradient noise scale at a checkpoint, and compares it with the value that the run
// recorded.
#include <fmt/core.h>

#include <algorithm>

#include "batchscope/goodput/measured_noise.h"
#include "batchscope/protocol/error.h"
#include "batchscope/run/noise.h"
#include "commands/commands.h"
#include "records/store.h"
#include "terminal/interruption.h"
#include "terminal/json_output.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using protocol::Json;

constexpr double kErrors = 2;  // standard errors, about 95 % of what chance does

goodput::MeasuredNoise noiseOf(const run::MeasuredRun& measured) {
  std::vector<goodput::GradParams> statistics;
  for (const protocol::NoiseEstimate& one : measured.estimates) statistics.push_back({one.sqr, one.var});
  const auto noise = goodput::measured_noise(statistics, measured.estimates.front().initial_batch_size);
  if (!noise)
    throw Error(
        ErrorKind::failure,
        say("{} of {} gradients each are too few to tell the gradient from its noise; measure more with "
            "--micro-batches",
            plural(statistics.size(), "estimate"), measured.estimates.front().gradients));
  return *noise;
}

std::string recordedText(double recorded, const goodput::MeasuredNoise& noise) {
  const double off = recorded / noise.noise_scale - 1;
  const std::string value = formatSeriesValue("noise_scale", recorded);
  return off < 0 ? say("recorded  {:>9}   {:.0f} % below", value, -100 * off)
                 : say("recorded  {:>9}   {:.0f} % above", value, 100 * off);
}

}  // namespace

int measureNoise(const NoiseOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  const storage::Run origin = catalogue.resolve(options.run);
  run::NoiseOptions wanted{options.checkpoint, options.microBatches};
  if (!options.arguments.empty()) wanted.arguments = options.arguments;
  const InterruptionGuard guard;
  const run::MeasuredRun measured = run::measure_noise(catalogue, origin.id, wanted, throwIfInterrupted);
  const goodput::MeasuredNoise noise = noiseOf(measured);
  const double low = std::max(0.0, noise.noise_scale - kErrors * noise.standard_error),
               high = noise.noise_scale + kErrors * noise.standard_error;
  const protocol::NoiseEstimate& first = measured.estimates.front();
  if (options.json) {
    printJson({{"run", origin.id},
               {"checkpoint", measured.checkpoint},
               {"step", measured.step},
               {"noise_scale", noise.noise_scale},
               {"standard_error", noise.standard_error},
               {"low", low},
               {"high", high},
               {"estimates", measured.estimates.size()},
               {"gradients", first.gradients},
               {"local_batch_size", first.local_batch_size},
               {"recorded", measured.recorded ? Json(*measured.recorded) : Json()}});
    return kExitOk;
  }
  fmt::print("{}\n", say("Noise scale of {}, {}, after step {}, in samples", printable(origin.name),
                         measured.checkpoint, measured.step));
  fmt::print("  {}\n",
             say("measured  {:>9}   {} to {}, by {} of {} gradients, of {} each",
                 formatSeriesValue("noise_scale", noise.noise_scale), formatSeriesValue("noise_scale", low),
                 formatSeriesValue("noise_scale", high), plural(measured.estimates.size(), "estimate"),
                 first.gradients, plural(first.local_batch_size, "sample")));
  if (measured.recorded) fmt::print("  {}\n", recordedText(*measured.recorded, noise));
  return kExitOk;
}

}  // namespace batchscope::cli
