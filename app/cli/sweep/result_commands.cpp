// SPDX-License-Identifier: Apache-2.0
//
// sweep best, export and import: print the winner, write the trials, convert sweep files.
#include <fmt/core.h>

#include "batchscope/common/shell_words.h"
#include "batchscope/common/sweep_json.h"
#include "batchscope/common/sweep_progress.h"
#include "batchscope/common/trial_table.h"
#include "batchscope/sweep/driver.h"
#include "batchscope/sweep/sweeps.h"
#include "batchscope/sweep/wandb.h"
#include "files/output_file.h"
#include "records/store.h"
#include "sweep/sweep_commands.h"
#include "sweep/sweep_text.h"
#include "terminal/json_output.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

// A comment for the shell: what follows is to be piped into one.
std::string aboutBest(const sweep::SweepView& view) {
  const std::vector<std::string>& runs = view.trials[*view.best].runs;
  const std::string run = runs.empty() || runs.front().empty() ? "" : say(", run {}", runs.front());
  return printable(fmt::format("# {}: {}{}", view.sweep.name, bestText(view), run));
}

// Writes to where a person wants it. Returns whether that is not standard output, so that there is more to
// say.
bool write(const std::string& text, const std::string& output, bool force) {
  const OutputTarget target(output);
  target.refuseExisting(force);
  OutputFile file(target);
  file.write(text);
  file.finish();
  return target.kind() != OutputTarget::Kind::standardOutput;
}

}  // namespace

int showBestTrial(const SweepReference& options) {
  storage::Catalogue catalogue = openCatalogue();
  const sweep::SweepView view = sweep::look(catalogue, options.sweep);
  if (!view.best)
    throw Error(ErrorKind::not_found,
                say("no trial of {} has a value of {} yet: see batchscope sweep status {}", view.sweep.name,
                    view.file.metric, view.sweep.name));
  return answer(options.json, common::bestJson(view),
                aboutBest(view) + '\n' + printable(common::bestCommandLine(view)));
}

int exportSweep(const ExportSweepOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  const sweep::SweepView view = sweep::look(catalogue, options.sweep);
  const std::string text = options.toml   ? view.file.text()
                           : options.json ? jsonLine(common::sweepDetailsJson(view, sweep::kDriver.alive()))
                                          : common::trialsCsv(view);
  if (write(text, options.output, options.force))
    fmt::print("{}\n", say("wrote {}: {} with {}", options.output, printable(view.sweep.name),
                           plural(view.trials.size(), "trial")));
  return kExitOk;
}

int importSweep(const ImportSweepOptions& options) {
  const sweep::Imported imported = sweep::import_wandb(options.file);
  const bool isFile = write(imported.sweep.text(), options.output, options.force);
  for (const std::string& note : imported.notes) fmt::print(stderr, "batchscope: {}\n", printable(note));
  if (isFile)
    fmt::print("{}\n", say("wrote {}. Begin it: batchscope sweep run {}", options.output,
                           printable(common::shellWords(std::vector{options.output}))));
  return kExitOk;
}

}  // namespace batchscope::cli
