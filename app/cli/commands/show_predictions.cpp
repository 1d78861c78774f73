// SPDX-License-Identifier: Apache-2.0
#include "commands/show_predictions.h"

#include <fmt/core.h>

#include <string>

#include "text/say.h"
#include "text/table.h"

namespace batchscope::cli {

void showPredictions(const common::Predictions& predictions, const Style& style) {
  using Align = Table::Align;
  if (predictions.restarts.empty()) {
    fmt::print("{}\n", say("nothing was predicted: a run predicts a restart once it has a model, after some "
                           "dozens of steps"));
    return;
  }
  Table table({{"#", Align::right},
               {say("replicas"), Align::right},
               {say("samples/s of")},
               {say("predicted"), Align::right},
               {say("expected"), Align::right},
               {say("obtained"), Align::right},
               {say("off by"), Align::right}});
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
