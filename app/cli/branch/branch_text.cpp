// SPDX-License-Identifier: Apache-2.0
#include "branch/branch_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "batchscope/protocol/series.h"
#include "text/format.h"
#include "text/say.h"
#include "text/table.h"

namespace batchscope::cli {
namespace {

using goodput::BranchLoss;
using goodput::BranchVerdict;

constexpr int kIndentOfTable = 2;

// "0.2134 ± 0.0051", with as many decimals as two digits of the error need.
std::string withError(double value, double error, const Style& style) {
  if (!std::isfinite(value)) return say("not finite");
  if (!std::isfinite(error)) return fmt::format("{:.4g}", value);
  const int decimals = error > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(error))), 0, 9) : 6;
  return fmt::format("{:.{}f} {} {:.{}f}", value, decimals, style.utf8 ? "±" : "+-", error, decimals);
}

Table::Cell verdictCell(BranchVerdict verdict) {
  switch (verdict) {
    case BranchVerdict::within: return {say("yes"), Colour::green};
    case BranchVerdict::above: return {say("no"), Colour::red};
    case BranchVerdict::unclear: return {say("cannot be told"), Colour::yellow};
  }
  return "";
}

std::string answerText(const common::Branching& branching) {
  if (branching.critical) return common::criticalText(*branching.critical);
  return branching.isOver() ? say("cannot be told: fewer than two branches tell a finite loss")
                            : say("not known yet: the branches are not over");
}

}  // namespace

std::string branchingText(const common::Branching& branching, const std::string& run, const Style& style) {
  const protocol::Branch& at = branching.branch;
  std::string text = style.paint(say("Branches of {} at {}, after step {}, over {} each", printable(run),
                                     printable(at.checkpoint), at.step, plural(at.samples, "sample")),
                                 Colour::bold) +
                     "\n";
  const bool hasReference = branching.critical.has_value();
  const std::int64_t smallest =
      hasReference ? branching.critical->branches.front().batch_size : at.batch_size;
  using Align = Table::Align;
  Table table({{say("BATCH SIZE"), Align::right},
               {say("RUN")},
               {say("STEPS"), Align::right},
               {say("LR FACTOR"), Align::right},
               {say("LOSS"), Align::right},
               {say("ABOVE {}'S", smallest), Align::right},
               {hasReference ? say("WITHIN {:.2g}", branching.critical->tolerance) : say("STATE")}});
  for (const common::BranchRun& branch : branching.runs) {
    const BranchLoss* loss = common::lossOf(branching, branch.branch.batch_size);
    const bool isReference = loss && loss->batch_size == smallest;
    table.addRow({std::to_string(branch.branch.batch_size), branch.run.id,
                  std::to_string(std::max<std::int64_t>(0, branch.steps)),
                  branch.rateFactor ? fmt::format("{:.2f}", *branch.rateFactor) : "-",
                  loss ? withError(loss->loss, loss->error, style) : "-",
                  loss && !isReference ? withError(loss->excess, loss->excess_error, style) : "-",
                  isReference ? Table::Cell(say("is compared with"))
                  : loss      ? verdictCell(loss->verdict)
                              : Table::Cell(protocol::run_state_name(branch.run.state))});
    if (!branch.fault.empty()) table.addNote(branch.fault);
  }
  text += table.text(style, kIndentOfTable);
  text += say("Critical batch size: {}", printable(answerText(branching))) + '\n';
  std::vector<std::string> recorded;
  if (branching.noiseScale)
    recorded.push_back(
        say("noise scale {}", formatSeriesValue(protocol::series::kNoiseScale, *branching.noiseScale)));
  if (branching.batchSize)
    recorded.push_back(
        say("batch size {}", formatSeriesValue(protocol::series::kBatchSize, *branching.batchSize)));
  if (!recorded.empty()) text += fmt::format("  {}\n", say("recorded there: {}", fmt::join(recorded, ", ")));
  return text;
}

}  // namespace batchscope::cli
