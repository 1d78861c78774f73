// SPDX-License-Identifier: Apache-2.0
//
// sweep status: lists all sweeps, or all trials of one.
#include <fmt/format.h>
#include <unistd.h>

#include <numeric>

#include "batchscope/common/sweep_json.h"
#include "batchscope/common/sweep_progress.h"
#include "batchscope/sweep/driver.h"
#include "records/store.h"
#include "sweep/sweep_commands.h"
#include "sweep/sweep_progress.h"
#include "sweep/sweep_text.h"
#include "terminal/json_output.h"
#include "terminal/watch.h"
#include "text/progress_bar.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using Align = Table::Align;

std::string listText(storage::Catalogue& catalogue) {
  const std::vector<storage::Sweep> sweeps = storage::Sweeps(catalogue).all();
  if (sweeps.empty()) return say("No sweeps yet. Begin one: batchscope sweep new --example > my.toml") + '\n';
  Table table({{say("SWEEP"), Align::left, true},
               {say("STATE")},
               {say("TRIALS"), Align::right},
               {say("BEST"), Align::left, true},
               {say("DEVICE TIME"), Align::right},
               {say("BEGAN"), Align::right}});
  const bool driven = sweep::kDriver.alive();
  const double now = storage::now();
  for (const storage::Sweep& row : sweeps) {
    const std::string state = storage::sweep_state_name(row.state);
    const sweep::SweepView view = sweep::look(catalogue, row.name);
    const common::SweepProgress progress = common::progressOf(view, now);
    table.addRow({row.name,
                  {state, stateColour(state)},
                  fmt::format("{}/{}", progress.done, progress.wanted),
                  bestText(view),
                  deviceTimeText(view),
                  formatAge(now - row.created)});
    const std::string note = row.message.empty() ? neglectText(view, driven) : row.message;
    if (!note.empty()) table.addNote(note);
  }
  return table.text(terminalStyle(STDOUT_FILENO));
}

std::string listJson(storage::Catalogue& catalogue) {
  const bool driven = sweep::kDriver.alive();
  protocol::Json list = protocol::Json::array();
  for (const storage::Sweep& row : storage::Sweeps(catalogue).all())
    list.push_back(common::sweepJson(sweep::look(catalogue, row.name), driven));
  return jsonLine({{"sweeps", list}});
}

std::string detailsText(const sweep::SweepView& view) {
  const Style style = terminalStyle(STDOUT_FILENO);
  const common::SweepProgress progress = common::progressOf(view, storage::now());
  std::string text;
  for (const std::string& line : sweepLines(view, progress, style)) text += line + '\n';
  if (!view.sweep.message.empty()) text += printable(view.sweep.message) + '\n';
  if (const std::string neglect = neglectText(view, sweep::kDriver.alive()); !neglect.empty())
    text += style.paint(printable(neglect), Colour::yellow) + '\n';
  if (view.trials.empty()) return text;
  std::vector<std::size_t> all(view.trials.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return text + '\n' + trialTable(view, all).text(style);
}

}  // namespace

int showSweeps(const SweepStatusOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  // Keeps showing the same sweep, also when another one begins meanwhile.
  const std::string name =
      options.sweep.empty() ? "" : storage::Sweeps(catalogue).resolve(options.sweep).name;
  const auto text = [&] {
    if (name.empty()) return options.json ? listJson(catalogue) : listText(catalogue);
    const sweep::SweepView view = sweep::look(catalogue, name);
    return options.json ? jsonLine(common::sweepDetailsJson(view, sweep::kDriver.alive()))
                        : detailsText(view);
  };
  if (options.watch)
    watch(text);
  else
    fmt::print("{}", text());
  return kExitOk;
}

}  // namespace batchscope::cli
