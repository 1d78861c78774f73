// SPDX-License-Identifier: Apache-2.0
#include "commands/attach_commands.h"

#include <fmt/core.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QProcess>
#include <cstdio>

#include "batchscope/common/queue_json.h"
#include "batchscope/common/recorded.h"
#include "batchscope/common/run_control.h"
#include "batchscope/common/shell_words.h"
#include "batchscope/common/translate.h"
#include "batchscope/common/trial_text.h"
#include "batchscope/protocol/devices.h"
#include "batchscope/protocol/series.h"
#include "batchscope/storage/record_json.h"
#include "commands/commands.h"
#include "commands/elsewhere.h"
#include "follow/report.h"
#include "records/job_records.h"
#include "records/run_folders.h"
#include "records/store.h"
#include "terminal/json_output.h"
#include "text/format.h"
#include "text/say.h"
#include "text/table.h"

namespace batchscope::cli {
namespace {

using protocol::RunState;
namespace series = protocol::series;

// "; accuracy 97.50 %, loss 0.1203"
std::string scores(const storage::Run& run) {
  std::string text;
  for (const char* name : {series::kAccuracy, series::kLoss})
    if (const auto found = run.latest.find(name); found != run.latest.end())
      text +=
          fmt::format("{}{} {}", text.empty() ? "; " : ", ", name, formatSeriesValue(name, found->second));
  return text;
}

std::string resumeHint(const Outcome& outcome) {
  return outcome.hasCheckpoint
             ? say("Resume it with: batchscope resume {}", outcome.run.id)
             : say("It has no checkpoint; begin again with: batchscope resume {}", outcome.run.id);
}

std::string outputHint(const storage::Run& run) { return say("Its output: batchscope logs {}", run.id); }

int codeOfState(RunState state) {
  switch (state) {
    case RunState::finished: return kExitOk;
    case RunState::stopped:
    case RunState::paused: return kExitCheckpointed;
    default: return kExitFailure;
  }
}

// A view that attaches now gets everything that comes later.
AttachOptions fromNowOn(storage::Catalogue& catalogue, const std::string& id) {
  const auto events = catalogue.events(id);
  AttachOptions options;
  options.eventsAfter = events.empty() ? 0 : events.back().id;
  options.outputAfter = endOfOutput(id);
  return options;
}

// Changes the limits of a run that failed because they were too tight.
void changeFaults(storage::Catalogue& catalogue, const storage::Run& run, const FaultOptions& faults) {
  if (!faults.any()) return;
  storage::require_sound(run);
  if (protocol::is_active(run.state))
    throw Error(ErrorKind::conflict,
                say("{} is {}, and its supervisor keeps the limits that it began with; `batchscope stop {}` "
                    "first",
                    title(run), protocol::run_state_name(run.state), run.id));
  protocol::RunSpec spec = run.spec;
  faults.apply(spec);
  catalogue.set_spec(run.id, spec);
}

void printSentence(const Outcome& outcome) {
  const storage::Run& run = outcome.run;
  const std::string state = protocol::run_state_name(run.state);
  const std::string because = run.message.empty() ? "" : ": " + printable(run.message);
  if (outcome.detached && run.state == RunState::pending) {
    fmt::print("{}\n", say("{} stays in the queue. `batchscope attach {}` watches it, `batchscope cancel {}` "
                           "takes it out of the queue.",
                           title(run), run.id, run.id));
  } else if (outcome.detached) {
    fmt::print("{}\n", say("{} goes on. `batchscope attach {}` watches it, `batchscope stop {}` stops it.",
                           title(run), run.id, run.id));
  } else if (common::isUnrecorded(run)) {
    fmt::print("{}{}\n  {}\n",
               say("{} finished in {}, {}", title(run), formatDuration(run.ended - run.created),
                   tr(common::kNotRecorded).toStdString()),
               outcome.silence.empty() ? "" : ": " + outcome.silence, outputHint(run));
  } else if (run.state == RunState::finished) {
    fmt::print("{}\n", say("{} finished: {}, {} in {}{}", title(run), plural(run.epoch, "epoch"),
                           plural(run.step, "step"), formatDuration(run.ended - run.created), scores(run)));
  } else if (run.state == RunState::stopped || run.state == RunState::paused) {
    fmt::print("{}\n", say("{} is {} after step {}{}. {}", title(run), state, run.step, because,
                           resumeHint(outcome)));
  } else {
    std::fflush(stdout);
    fmt::print(stderr, "batchscope: {}{}\n{}  {}\n",
               run.state == RunState::failed ? say("{} failed", title(run))
                                             : say("{} lost its supervisor", title(run)),
               because, outcome.frames, outputHint(run));
    // An exception before the first checkpoint would be raised again.
    if (outcome.hasCheckpoint || run.state != RunState::failed)
      fmt::print(stderr, "  {}\n", resumeHint(outcome));
  }
  std::fflush(stdout);
}

void printVerdicts(const std::vector<Verdict>& verdicts) {
  if (verdicts.empty()) return;
  Table table(
      {{say("expected"), Table::Align::left, true}, {say("seen"), Table::Align::right}, {say("verdict")}});
  for (const Verdict& verdict : verdicts)
    table.addRow(
        {verdict.expectation.text(), translated(verdict.seen),
         verdict.passed ? Table::Cell(say("pass"), Colour::green) : Table::Cell(say("FAIL"), Colour::red)});
  fmt::print("{}", table.text(terminalStyle(STDOUT_FILENO)));
  std::fflush(stdout);
}

protocol::Json resultJson(const Outcome& outcome, const std::vector<Verdict>& verdicts) {
  return {{"result",
           {{"run", storage::run_json(outcome.run)},
            {"exit_code", exitCodeOf(outcome, verdicts)},
            {"timed_out", outcome.timedOut},
            {"detached", outcome.detached},
            {"expectations", verdictsJson(verdicts)}}}};
}

}  // namespace

Outcome followRun(storage::Catalogue& catalogue, const std::string& id, const AttachOptions& options,
                  Interrupts& interrupts, bool json) {
  const auto view = makeView(*catalogue.run(id), json);
  return Attachment(catalogue, id, options, *view, interrupts).follow();
}

Outcome awaitBeginning(storage::Catalogue& catalogue, const std::string& id, Interrupts& interrupts) {
  AttachOptions options;
  options.interrupt = AttachOptions::Interrupt::detaches;
  options.untilBegun = true;
  options.quiet = true;
  const auto view = makeSilentView();
  return Attachment(catalogue, id, options, *view, interrupts).follow();
}

int printStarted(const Outcome& outcome, const protocol::Json& started, bool json) {
  if (!outcome.detached && codeOfState(outcome.run.state) == kExitFailure) {
    printEnd(outcome, {}, json);
    return exitCodeOf(outcome, {});
  }
  return answer(json, started, outcome.run.id);
}

int exitCodeOf(const Outcome& outcome, const std::vector<Verdict>& verdicts) {
  if (outcome.detached) return outcome.interrupted ? kExitFailure : kExitOk;
  if (outcome.timedOut && outcome.run.state != RunState::finished) return kExitTimeout;
  const int code = stateWasExpected(verdicts) ? kExitOk : codeOfState(outcome.run.state);
  if (code == kExitFailure || allPassed(verdicts)) return code;
  return kExitExpectation;
}

void printEnd(const Outcome& outcome, const std::vector<Verdict>& verdicts, bool json) {
  if (json) {
    printJson(resultJson(outcome, verdicts));
  } else {
    printSentence(outcome);
    printVerdicts(verdicts);
  }
}

int attachToRun(const WatchOptions& options) {
  const std::vector<std::string> words(options.quiet ? 1 : 0, "--quiet");
  if (const auto code = handOn("attach", options, words)) return *code;
  storage::Catalogue catalogue = openCatalogue();
  const storage::Run run = catalogue.resolve(options.run);
  if (isAtRest(catalogue, run))
    throw Error(ErrorKind::conflict,
                say("{} is {}: there is nothing to watch; `batchscope show {}` tells about it", title(run),
                    protocol::run_state_name(run.state), run.id));
  AttachOptions attach = fromNowOn(catalogue, run.id);
  attach.interrupt = AttachOptions::Interrupt::detaches;
  attach.quiet = options.quiet || options.json;
  Interrupts interrupts;
  const Outcome outcome = followRun(catalogue, run.id, attach, interrupts, options.json);
  printEnd(outcome, {}, options.json);
  return exitCodeOf(outcome, {});
}

// Follows a run that continues elsewhere, as `submit` does, unless it is followed already. Does so in a
// process of its own if the caller does not wait for the run.
static int followAgain(const ResumeOptions& options) {
  const std::string id = openCatalogue().resolve(options.run).id;
  if (isWritten(protocol::run_paths(id).root)) return kExitOk;
  const std::string place = storage::place_of(elsewhere(id).value());
  if (!options.detach && !options.json) return followRecord({.place = place});
  QProcess follower;
  follower.setProgram(QCoreApplication::applicationFilePath());
  follower.setArguments({"follow", QString::fromStdString(place)});
  follower.setStandardInputFile(QProcess::nullDevice());
  follower.setStandardOutputFile(QProcess::nullDevice());
  follower.setStandardErrorFile(QProcess::nullDevice());
  if (!follower.startDetached())
    fmt::print(stderr, "batchscope: {}\n",
               say("{} is not followed; follow it with: batchscope follow {}", id,
                   common::shellWords(std::vector{place})));
  return kExitOk;
}

int resumeRun(const ResumeOptions& options) {
  protocol::check_devices(options.devices);
  std::vector<std::string> words;
  if (options.replicas > 0) words.insert(words.end(), {"--replicas", std::to_string(options.replicas)});
  if (options.detach) words.emplace_back("--detach");
  if (options.quiet) words.emplace_back("--quiet");
  if (const auto code = handOn("resume", {options.run, options.json}, words))
    return *code == kExitOk ? followAgain(options) : *code;
  storage::Catalogue catalogue = openCatalogue();
  const storage::Run run = catalogue.resolve(options.run);
  changeFaults(catalogue, run, options.faults);
  AttachOptions attach = fromNowOn(catalogue, run.id);
  attach.quiet = options.quiet || options.json;
  Interrupts interrupts;
  const common::ListedSweeps sweeps = common::listedSweeps(catalogue, {run});
  common::resumeRun(catalogue, run, options.replicas, options.devices);
  if (const std::string whose = common::resumedTrialText(run, sweeps); !whose.empty())
    fmt::print(stderr, "batchscope: {}: {}\n", title(run), printable(whose));
  const auto job = options.detach ? common::placedJob(catalogue, *catalogue.run(run.id)) : std::nullopt;
  if (job)
    return answer(options.json, {{"run", run.id}, {"job", common::jobJson(*job)}},
                  say("{} {}, and goes on when it has devices. `batchscope attach {}` watches it.",
                      title(run), common::placeText(*job), run.id));
  const Outcome outcome = options.detach ? awaitBeginning(catalogue, run.id, interrupts)
                                         : followRun(catalogue, run.id, attach, interrupts, options.json);
  if (!options.detach || !outcome.detached)
    printEnd(outcome, {}, options.json);
  else
    answer(options.json, {{"run", run.id}},
           say("{} goes on. `batchscope attach {}` watches it.", title(run), run.id));
  return exitCodeOf(outcome, {});
}

}  // namespace batchscope::cli
