// SPDX-License-Identifier: Apache-2.0
//
// ls: the runs of this store, newest first.
#include <fmt/core.h>
#include <unistd.h>

#include "batchscope/protocol/series.h"
#include "batchscope/run/machine.h"
#include "commands.h"
#include "format.h"
#include "progress_bar.h"
#include "run_json.h"
#include "store.h"
#include "table.h"

namespace batchscope::cli {
namespace {

namespace series = protocol::series;

std::string latest(const storage::Run& run, const char* name) {
  const auto found = run.latest.find(name);
  return found == run.latest.end() ? "" : formatSeriesValue(name, found->second);
}

std::string epochText(const storage::Run& run) {
  return run.epochs > 0 ? fmt::format("{}/{}", run.epoch, run.epochs) : std::to_string(run.epoch);
}

Table runTable(const std::vector<storage::Run>& runs) {
  using Align = Table::Align;
  Table table({{"ID"},
               {"NAME", Align::left, true},
               {"STATE"},
               {"REPLICAS", Align::right},
               {"DEVICES"},
               {"EPOCH", Align::right},
               {"STEP", Align::right},
               {"ACCURACY", Align::right},
               {"LOSS", Align::right},
               {"STARTED", Align::left}});
  const double now = storage::now();
  for (const storage::Run& run : runs) {
    const std::string state = protocol::run_state_name(run.state);
    table.addRow({run.id,
                  printable(run.name),
                  {state, stateColour(state)},
                  std::to_string(run.replicas),
                  run::device_list(run.devices),
                  epochText(run),
                  std::to_string(run.step),
                  latest(run, series::kAccuracy),
                  latest(run, series::kLoss),
                  formatAge(now - run.created)});
  }
  return table;
}

}  // namespace

int listRuns(bool json) {
  const std::vector<storage::Run> runs = openCatalogue().runs();
  if (json) {
    protocol::Json list = protocol::Json::array();
    for (const storage::Run& run : runs) list.push_back(runJson(run));
    printJson({{"runs", list}});
  } else if (runs.empty()) {
    fmt::print("No runs yet. Start one: batchscope run digits\n");
  } else {
    fmt::print("{}", runTable(runs).text(terminalStyle(STDOUT_FILENO)));
  }
  return kExitOk;
}

}  // namespace batchscope::cli
