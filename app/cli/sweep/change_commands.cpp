// SPDX-License-Identifier: Apache-2.0
//
// sweep pause, resume, stop and extend: control an existing sweep.
#include <fmt/core.h>

#include <functional>

#include "batchscope/sweep/sweeps.h"
#include "records/store.h"
#include "sweep/sweep_commands.h"
#include "terminal/json_output.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using storage::SweepState;

int doTo(const SweepReference& options, void (*deed)(storage::Catalogue&, const std::string&),
         const std::function<std::string(SweepState before)>& text) {
  storage::Catalogue catalogue = openCatalogue();
  storage::Sweeps sweeps(catalogue);
  const storage::Sweep before = sweeps.resolve(options.sweep);
  const std::string& name = before.name;
  deed(catalogue, name);
  const std::string told = text(before.state);
  return answer(options.json,
                {{"sweep", name}, {"state", storage::sweep_state_name(sweeps.resolve(name).state)}},
                fmt::format("{}: {}", printable(name), told));
}

}  // namespace

int pauseSweep(const SweepReference& options) {
  return doTo(options, sweep::pause, [](SweepState before) {
    return before == SweepState::paused
               ? say("it was paused already; `batchscope sweep resume` continues the sweep")
               : say("its trials write checkpoints and free their devices; `batchscope sweep resume` "
                     "continues the sweep");
  });
}

int resumeSweep(const SweepReference& options) {
  return doTo(options, sweep::resume,
              [](SweepState) { return say("goes on; `batchscope sweep status --watch` watches it"); });
}

int stopSweep(const SweepReference& options) {
  return doTo(options, sweep::stop, [](SweepState before) {
    return before == SweepState::stopped
               ? say("it was stopped already; `batchscope sweep resume` continues the sweep")
               : say("its trials write checkpoints and stop; `batchscope sweep resume` continues the sweep");
  });
}

int extendSweep(const ExtendSweepOptions& options) {
  if (options.trials == 0 && options.deviceHours <= 0)
    throw Error(
        ErrorKind::usage,
        say("say by how much, such as: batchscope sweep extend NAME --trials 16, or --device-hours 2"));
  storage::Catalogue catalogue = openCatalogue();
  const std::string name = storage::Sweeps(catalogue).resolve(options.sweep).name;
  sweep::extend(catalogue, name, options.trials, options.deviceHours);
  const sweep::SweepView view = sweep::look(catalogue, name);
  const std::size_t wanted = sweep::trials_wanted(view.file);
  return answer(
      options.json,
      {{"sweep", name},
       {"state", storage::sweep_state_name(view.sweep.state)},
       {"trials", wanted},
       {"device_hours", view.file.device_hours ? protocol::Json(*view.file.device_hours) : protocol::Json()}},
      say("{}: {} in all, and it goes on", printable(name), plural(wanted, "trial")));
}

}  // namespace batchscope::cli
