// SPDX-License-Identifier: Apache-2.0
#include "commands/show_predictions.h"

#include <fmt/core.h>

#include <string>

#include "text/table.h"

namespace batchscope::cli {

void showPredictions(const common::Predictions& predictions, const Style& style) {
  using Align = Table::Align;
  if (predictions.restarts.empty()) {
    fmt::print(
        "nothing was predicted: a run predicts a restart once it has a model, after some dozens of steps\n");
    return;
  }
  Table table({{"#", Align::right},
               {"replicas", Align::right},
               {"samples/s of"},
               {"predicted", Align::right},
               {"expected", Align::right},
               {"obtained", Align::right},
               {"off by", Align::right}});
  for (const common::PredictedRestart& restart : predictions.restarts)
    table.addRow({std::to_string(restart.generation),
                  std::to_string(restart.replicas),
                  restart.what(),
                  restart.predictedText,
                  restart.expectedText,
                  restart.obtainedText,
                  {restart.changeText, restart.held() == false ? Colour::yellow : Colour::none}});
  fmt::print("{}", table.text(style));
  if (!predictions.summary.empty()) fmt::print("\n{}\n", predictions.summary);
}

}  // namespace batchscope::cli
