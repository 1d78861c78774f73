// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep_text.h"

#include <fmt/format.h>

#include "batchscope/common/sweep_progress.h"
#include "batchscope/protocol/run_state.h"
#include "text/format.h"
#include "text/progress_bar.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using sweep::Standing;
using sweep::StopRule;

// "2 (1800)": its number, and what is behind it.
std::string rungText(const StopRule& rule, int rung) {
  if (rung < 0) return "";
  const auto reached = sweep::iterations_at(rule, rung);
  return reached ? fmt::format("{} ({:.6g})", rung, *reached) : std::to_string(rung);
}

}  // namespace

std::string parametersText(const sweep::SweepFile& file, const sweep::Texts& parameters) {
  std::string text;
  for (const sweep::Parameter& parameter : file.parameters) {
    const auto found = parameters.find(parameter.name);
    if (found == parameters.end() || parameter.count() == 1) continue;
    text += (text.empty() ? "" : " ") + found->first + "=" + found->second;
  }
  return text;
}

std::string bestText(const sweep::SweepView& view) {
  if (!view.best) return {};
  const Standing& best = view.trials[*view.best].standing;
  return say("{} {} by trial {}", view.file.metric, formatSeriesValue(view.file.metric, *best.value),
             *view.best);
}

Table trialTable(const sweep::SweepView& view, std::span<const std::size_t> trials) {
  const bool rungs = view.file.stop.kind != StopRule::Kind::none;
  std::vector<Table::Column> columns{
      {say("TRIAL"), Table::Align::right}, {say("STATE")}, {view.file.metric, Table::Align::right}};
  if (rungs) columns.push_back({say("RUNG"), Table::Align::right});
  columns.insert(columns.end(), {{say("PARAMETERS"), Table::Align::left, true},
                                 {say("DEVICE TIME"), Table::Align::right},
                                 {say("RUN"), Table::Align::left, true}});
  Table table(columns);
  for (const std::size_t number : trials) {
    const sweep::TrialView& trial = view.trials[number];
    const Standing& standing = trial.standing;
    const std::string state = common::trialState(view, number);
    std::vector<Table::Cell> cells{
        std::to_string(number),
        {state, stateColour(state)},
        {standing.value ? formatSeriesValue(view.file.metric, *standing.value) : "",
         view.best == number ? Colour::bold : Colour::none}};
    if (rungs) cells.emplace_back(rungText(view.file.stop, standing.rung));
    cells.emplace_back(parametersText(view.file, trial.parameters));
    cells.emplace_back(standing.device_hours > 0 ? formatDuration(standing.device_hours * 3600) : "");
    cells.emplace_back(fmt::format("{}", fmt::join(trial.runs, " ")));
    table.addRow(std::move(cells));
    if (!trial.message.empty()) table.addNote(trial.message);
  }
  return table;
}

std::string neglectText(const sweep::SweepView& view, bool driven) {
  if (driven || view.sweep.state != storage::SweepState::running) return {};
  return say("no process drives it: `batchscope sweep resume {}` continues it", view.sweep.name);
}

}  // namespace batchscope::cli
