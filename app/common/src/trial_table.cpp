// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/trial_table.h"

#include <fmt/core.h>

#include "batchscope/common/data_forms.h"
#include "batchscope/common/sweep_progress.h"

namespace batchscope::common {

std::string trialsCsv(const sweep::SweepView& view) {
  std::string text = "trial,state,value,rung";
  for (const sweep::Parameter& parameter : view.file.parameters)
    text += ',' + csvCell("parameter." + parameter.name);
  text += ",device_hours,runs,message\n";
  for (std::size_t number = 0; number < view.trials.size(); ++number) {
    const sweep::TrialView& trial = view.trials[number];
    const sweep::Standing& standing = trial.standing;
    text += fmt::format("{},{},{},{}", number, trialState(view, number), csvCell(standing.value),
                        standing.rung < 0 ? "" : std::to_string(standing.rung));
    for (const sweep::Parameter& parameter : view.file.parameters) {
      const auto found = trial.parameters.find(parameter.name);
      text += ',' + (found == trial.parameters.end() ? "" : csvCell(found->second));
    }
    std::string runs;
    for (const std::string& run : trial.runs) runs += (runs.empty() ? "" : " ") + run;
    text += fmt::format(",{},{},{}\n", csvCell(standing.device_hours), runs, csvCell(trial.message));
  }
  return text;
}

}  // namespace batchscope::common
