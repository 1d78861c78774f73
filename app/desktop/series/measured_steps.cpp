// SPDX-License-Identifier: GPL-3.0-or-later
#include "series/measured_steps.h"

namespace batchscope::desktop {

std::vector<run::StepTime> measureStepTimes(SeriesModel& series, const protocol::Model& model) {
  std::vector<run::GenerationSteps> generations;
  for (const GenerationSpan& span : series.generations())
    generations.push_back({span.number, span.replicas, span.first, span.last});
  const run::ReadBuckets read = [&](const std::string& name, const run::GenerationSteps& generation) {
    const auto view = series.view(name, generation.number, generation.first_step, generation.last_step,
                                  run::kStepTimeColumns);
    return std::vector<Bucket>(view.begin(), view.end());
  };
  return run::measure_step_times(generations, read, model);
}

}  // namespace batchscope::desktop
