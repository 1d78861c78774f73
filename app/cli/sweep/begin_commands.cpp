// SPDX-License-Identifier: Apache-2.0
//
// sweep new and sweep run: add a sweep from its file, and watch it to its end.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "batchscope/common/sweep_json.h"
#include "batchscope/common/sweep_progress.h"
#include "records/store.h"
#include "slurm/job_submission.h"
#include "sweep/example_file.h"
#include "sweep/sweep_commands.h"
#include "sweep/sweep_follower.h"
#include "sweep/sweep_on_slurm.h"
#include "sweep/sweep_plan.h"
#include "sweep/sweep_progress.h"
#include "sweep/sweep_text.h"
#include "terminal/json_output.h"
#include "terminal/terminal.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using storage::SweepState;

constexpr std::size_t kBest = 5;  // trials in the table at the end

int exitCodeOf(const SweepEnd& end) {
  if (end.left) return end.interrupted ? kExitFailure : kExitOk;
  switch (end.view.sweep.state) {
    case SweepState::finished: return kExitOk;
    case SweepState::paused:
    case SweepState::stopped: return kExitCheckpointed;
    default: return kExitFailure;
  }
}

void printBest(const sweep::SweepView& view) {
  std::vector<std::size_t> trials = sweep::ranking(view.file.goal, sweep::standings(view.file, view.legs));
  if (trials.empty()) return;
  trials.resize(std::min(trials.size(), kBest));
  fmt::print("\n{}\n{}\n  {}\n", trialTable(view, trials).text(terminalStyle(STDOUT_FILENO)),
             say("Train the best with:"), printable(common::bestCommandLine(view)));
}

void printSentence(const SweepEnd& end) {
  const sweep::SweepView& view = end.view;
  const std::string name = printable(view.sweep.name);
  const std::string because = view.sweep.message.empty() ? "" : ": " + printable(view.sweep.message);
  const common::SweepProgress progress = common::progressOf(view, storage::now());
  if (end.left) {
    fmt::print("{}\n", say("{} goes on. `batchscope sweep status {} --watch` watches it, `batchscope sweep "
                           "stop {}` stops it.",
                           name, name, name));
  } else if (view.sweep.state == SweepState::finished) {
    fmt::print("{}\n", say("{} finished: {} in {}, device time {}", name, countsText(view, progress),
                           formatDuration(progress.elapsed), deviceTimeText(view)));
  } else if (view.sweep.state == SweepState::failed || end.neglected) {
    std::fflush(stdout);
    fmt::print(stderr, "batchscope: {}{}\n  {}\n",
               end.neglected ? say("the sweep {} is running, but no process drives it", name)
                             : say("the sweep {} failed", name),
               because, say("Its trials: batchscope sweep status {}", name));
    if (end.neglected) fmt::print(stderr, "  {}\n", say("Continue it: batchscope sweep resume {}", name));
  } else {
    fmt::print("{}\n",
               say("{} is {}, {}{}. Continue it: batchscope sweep resume {}", name,
                   storage::sweep_state_name(view.sweep.state), countsText(view, progress), because, name));
  }
}

void printEnd(const SweepEnd& end, bool json) {
  if (json) {
    printJson({{"result",
                {{"sweep", common::sweepJson(end.view, end.left)},
                 {"best", common::bestJson(end.view)},
                 {"left", end.left},
                 {"exit_code", exitCodeOf(end)}}}});
    return;
  }
  printSentence(end);
  if (!end.left) printBest(end.view);
}

}  // namespace

int newSweep(const NewSweepOptions& options) {
  if (options.example) {
    fmt::print("{}", kExampleFile);
    return kExitOk;
  }
  if (options.file.empty())
    throw Error(
        ErrorKind::usage,
        say("name a sweep's file; `batchscope sweep new --example > my.toml` writes one to begin with"));
  const SweepPlan plan = planSweep(options.file);
  storage::Catalogue catalogue = openCatalogue();
  sweep::create(catalogue, plan.file, plan.base, true, options.width);
  return answer(options.json, {{"sweep", plan.file.name}},
                say("{} is added, and paused. Begin it: batchscope sweep resume {}",
                    printable(plan.file.name), printable(plan.file.name)));
}

int runSweep(const RunSweepOptions& options) {
  if (options.detach && options.headless)
    throw Error(ErrorKind::usage, say("--headless waits for the end of the sweep; leave out --detach"));
  const bool onSlurm = !options.partition.empty();
  const SweepPlan plan = planSweep(options.file, onSlurm);
  const std::string& name = plan.file.name;
  const SweepOnSlurm there = sweepOnSlurm(options, plan);
  if (options.print)
    return answer(options.json, {{"script", there.script}}, there.script.substr(0, there.script.size() - 1));
  if (onSlurm) slurm::tryScript(there.script);
  storage::Catalogue catalogue = openCatalogue();
  Interrupts interrupts;  // made first, so that a Ctrl-C in between is not lost
  sweep::create(catalogue, plan.file, plan.base, false, onSlurm ? there.width : options.width,
                there.workplace);
  if (options.detach) return answer(options.json, {{"sweep", name}}, printable(name));
  const auto display = makeSweepDisplay(options.json);
  using Interrupt = SweepFollower::Interrupt;
  const SweepEnd end = SweepFollower(catalogue, name, options.headless ? Interrupt::stops : Interrupt::leaves,
                                     *display, interrupts)
                           .follow();
  printEnd(end, options.json);
  return exitCodeOf(end);
}

}  // namespace batchscope::cli
