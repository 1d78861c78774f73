// SPDX-License-Identifier: Apache-2.0
//
// branch: the critical batch size at a checkpoint, by runs that train on from it at several batch sizes.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "batchscope/common/branchings.h"
#include "batchscope/pool/queue.h"
#include "batchscope/protocol/error.h"
#include "batchscope/run/branch.h"
#include "batchscope/run/fork.h"
#include "batchscope/storage/annotation.h"
#include "branch/branch_text.h"
#include "commands/commands.h"
#include "records/store.h"
#include "terminal/interruption.h"
#include "terminal/json_output.h"
#include "terminal/terminal.h"
#include "terminal/transfer_progress.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using common::Branching;
using common::BranchQuestion;
using protocol::Json;

constexpr auto kBranchTick = std::chrono::milliseconds(200);

// The run whose branches are meant: "latest" may be one of them.
storage::Run branchedRun(storage::Catalogue& catalogue, const std::string& text) {
  storage::Run run = catalogue.resolve(text);
  const auto branch = protocol::branch_of(run.spec.environment);
  return branch ? catalogue.resolve(branch->run) : run;
}

// Puts the branches into the queue, all or none: they are held there until each has its checkpoint.
std::vector<std::string> submitBranches(storage::Catalogue& catalogue, const storage::Run& origin,
                                        const std::vector<protocol::RunSpec>& specs) {
  std::vector<std::string> ids;
  try {
    for (const protocol::RunSpec& spec : specs) {
      const protocol::Branch branch = protocol::branch_of(spec.environment).value();
      pool::JobOptions job;
      job.held = true;
      const std::string id = ids.emplace_back(pool::submit(catalogue, spec, job));
      run::lay_checkpoint(origin.id, branch.checkpoint, id);
      catalogue.add_event(
          id, 0, branch.step, "info",
          fmt::format("Branch of {}, {} after step {}: {} samples at batch size {}.", title(origin),
                      branch.checkpoint, branch.step, branch.samples, branch.batch_size));
      throwIfInterrupted();
    }
    for (const std::string& id : ids) pool::release(catalogue, id);
  } catch (...) {
    for (const std::string& id : ids) catalogue.cancel_waiting(id, "its branching did not begin");
    throw;
  }
  return ids;
}

std::int64_t trainedBy(const storage::Run& run, const protocol::Branch& branch) {
  if (common::trainsNoMore(run.state)) return branch.samples;
  return std::clamp<std::int64_t>((run.step - branch.step) * branch.batch_size, 0, branch.samples);
}

Branching branchingNamed(storage::Catalogue& catalogue, const std::string& run, const std::string& group) {
  for (Branching& branching : common::branchingsOf(catalogue, run))
    if (branching.group == group) return std::move(branching);
  throw Error(ErrorKind::not_found, say("the branches of run {} were removed meanwhile", run));
}

// Waits until the branches are over.
void awaitBranches(storage::Catalogue& catalogue, const std::vector<std::string>& ids,
                   const protocol::Branch& branch) {
  const auto count = static_cast<std::int64_t>(ids.size());
  TransferProgress progress(say("{} branches", count), count * branch.samples);
  for (std::int64_t before = 0;; std::this_thread::sleep_for(kBranchTick)) {
    std::int64_t now = 0;
    bool areOver = true;
    for (const std::string& id : ids) {
      const auto run = catalogue.run(id);
      if (!run || run->removed > 0) continue;
      now += trainedBy(*run, protocol::branch_of(run->spec.environment).value_or(branch));
      areOver = areOver && common::trainsNoMore(run->state);
    }
    progress.add(std::max<std::int64_t>(0, now - before));
    before = std::max(before, now);
    if (areOver) return;
  }
}

// Adds to the run's series what was found, where they are not its supervisor's.
void keepAnswer(storage::Catalogue& catalogue, const storage::Run& origin,
                const std::vector<Branching>& found) {
  if (!common::recordCritical(catalogue, origin.id, found))
    fmt::print(stderr, "batchscope: {}\n",
               say("{} trains, so its charts do not show this yet. When it has ended, "
                   "`batchscope branch {} --show` adds it",
                   printable(title(origin)), origin.id));
}

int showBranchings(const BranchOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  const storage::Run origin = branchedRun(catalogue, options.run);
  const BranchQuestion question{options.metric, options.tolerance};
  const std::vector<Branching> branchings = common::branchingsOf(catalogue, origin.id, question);
  if (branchings.empty())
    throw Error(ErrorKind::not_found,
                say("run {} has no branches; start some with: batchscope branch {} --batch-sizes "
                    "32..1024 --samples 65536",
                    origin.id, origin.id));
  if (question.isAsAsked()) keepAnswer(catalogue, origin, branchings);
  if (options.json) {
    Json list = Json::array();
    for (const Branching& branching : branchings) list.push_back(common::branchingJson(branching));
    printJson({{"branchings", std::move(list)}});
    return kExitOk;
  }
  for (const Branching& branching : branchings)
    fmt::print("{}{}", &branching == branchings.data() ? "" : "\n",
               branchingText(branching, title(origin), terminalStyle(STDOUT_FILENO)));
  return kExitOk;
}

void tellTheyGoOn(const storage::Run& origin, const std::string& group) {
  fmt::print(stderr, "batchscope: {}\n",
             say("the branches go on in the queue, as the group \"{}\". `batchscope branch {} --show` "
                 "shows them, and `batchscope cancel` ends each",
                 printable(group), origin.id));
}

}  // namespace

int branchRun(const BranchOptions& options) {
  if (options.show) return showBranchings(options);
  if (options.batchSizes.empty() || options.samples == 0)
    throw Error(ErrorKind::usage,
                say("branch needs --batch-sizes, such as 32..1024, and --samples; or --show, for what was "
                    "branched before"));
  if (!options.metric.empty()) storage::check_series(options.metric);
  storage::Catalogue catalogue = openCatalogue();
  const storage::Run origin = catalogue.resolve(options.run);
  run::BranchOptions wanted;
  wanted.checkpoint = options.checkpoint;
  wanted.batch_sizes = run::parse_batch_sizes(options.batchSizes);
  wanted.samples = options.samples;
  if (!options.metric.empty()) wanted.metric = options.metric;
  wanted.tolerance = options.tolerance;
  wanted.replicas = options.replicas;
  if (!options.arguments.empty()) wanted.arguments = options.arguments;
  const InterruptionGuard guard;
  const std::vector<protocol::RunSpec> specs = run::branch_specs(catalogue, origin.id, wanted);
  const std::string& group = specs.front().group;
  const std::vector<std::string> ids = submitBranches(catalogue, origin, specs);
  if (options.detach)
    return answer(
        options.json, {{"group", group}, {"runs", ids}},
        say("{} branches are in the queue, as the group \"{}\". Show them: batchscope branch {} --show",
            ids.size(), printable(group), origin.id));
  try {
    awaitBranches(catalogue, ids, protocol::branch_of(specs.front().environment).value());
  } catch (const Interrupted&) {
    tellTheyGoOn(origin, group);
    throw;
  }
  const Branching branching = branchingNamed(catalogue, origin.id, group);
  keepAnswer(catalogue, origin, {branching});
  if (options.json)
    printJson({{"branching", common::branchingJson(branching)}});
  else
    fmt::print("{}", branchingText(branching, title(origin), terminalStyle(STDOUT_FILENO)));
  return branching.critical ? kExitOk : kExitFailure;
}

}  // namespace batchscope::cli
