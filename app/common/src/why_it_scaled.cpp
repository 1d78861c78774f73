// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/why_it_scaled.h"

#include <utility>

#include "batchscope/common/prediction_figure.h"
#include "batchscope/common/restart_figures.h"
#include "batchscope/common/run_history.h"
#include "batchscope/common/scaling_figures.h"
#include "batchscope/common/translate.h"

namespace batchscope::common {
namespace {

constexpr int kMoments = 240, kSlices = 150;  // of a run, about

}  // namespace

std::vector<ScalingCard> scalingCards() {
  return {
      {"map", tr("Predicted goodput, and the run's path"), tr("stronger colour: more goodput"),
       tr("Each cell is a batch size and a number of replicas; the run should move to where the "
          "colour is strong.")},
      {"goodput-over-replicas", tr("Goodput over replicas"), tr("samples/s"),
       tr("Where the predicted line flattens, another replica brings little. Rings near the line "
          "mean that the prediction can be trusted.")},
      {"batch-choice", tr("Batch size: chosen and best"), tr("samples"),
       tr("The best batch size is what the newest model would choose with the gradient noise of that "
          "moment.")},
      {"rate-over-batch",
       tr("Learning rate over batch size"),
       {},
       tr("Paler dots are earlier. AdaScale lies below the linear rule; a schedule lowers the rate, too.")},
      {"restarts", tr("What each restart cost"), tr("seconds"),
       tr("The parts of each pause in their order, and the steps that had to be done again.")},
      {"lanes", tr("What the replicas did"), tr("share of the time"),
       tr("One lane for each replica. The height of a colour is its share of that moment, as a mean "
          "over all replicas.")},
      {"predictions", tr("Restarts: predicted and obtained"), tr("samples/s"),
       tr("A bar spans the values expected of nine in ten restarts. The model learns from each "
          "restart.")},
      {"accuracy-over-samples", tr("Accuracy over samples"), tr("%"),
       tr("A larger batch needs more samples for the same accuracy."), true},
      {"accuracy-by-epoch", tr("Accuracy by epoch"), tr("%"),
       tr("Epochs count the progress that gain measures: runs of one program should lie together."), true},
      {"accuracy-over-time", tr("Accuracy over time"), tr("%"),
       tr("Compare with accuracy over samples: what costs samples may save time."), true},
      {"time-to-accuracy", tr("Time to accuracy"), tr("shorter is better"),
       tr("When the run first reached each accuracy; of compared runs, the highest that all reached."),
       true}};
}

std::vector<FigureData> whyItScaled(const ScaledRun& run) {
  const auto moments = run.series == nullptr ? std::vector<Moment>() : momentsOf(*run.series, kMoments);
  const auto slices = run.series == nullptr ? std::vector<Slice>() : slicesOf(*run.series, kSlices);
  std::vector<FigureData> figures{goodputMap(run.model, moments, run.measured),
                                  goodputOverReplicas(run.model, moments),
                                  batchChoice(run.model, moments),
                                  rateOverBatch(moments),
                                  restartParts(run.series),
                                  replicaLanes(slices),
                                  predictedAndObtained(run.generations)};
  for (FigureData& figure : comparedFigures(run.quality)) figures.push_back(std::move(figure));
  return figures;
}

std::vector<FigureData> comparedFigures(const std::vector<QualityRun>& runs) {
  return {accuracyOver(Cost::Samples, runs), accuracyOver(Cost::Epochs, runs),
          accuracyOver(Cost::Seconds, runs), timeToTarget(runs)};
}

}  // namespace batchscope::common
