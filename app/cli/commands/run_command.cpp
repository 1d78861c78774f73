// SPDX-License-Identifier: Apache-2.0
//
// run: starts a run under its own supervisor and, unless --detach, follows it to its end, judges the
// expectations and writes the report.
#include "batchscope/run/client.h"
#include "commands/attach_commands.h"
#include "commands/commands.h"
#include "commands/program.h"
#include "follow/report.h"
#include "records/store.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

void refuseUselessWithDetach(const RunOptions& options) {
  if (options.detach &&
      (!options.expectations.empty() || !options.timeout.empty() || !options.report.empty()))
    throw Error(ErrorKind::usage,
                say("--expect, --timeout and --report wait for the end of the run; leave out --detach"));
}

// Signals go to the run while it is attached, and to this program again after that.
Outcome train(storage::Catalogue& catalogue, const protocol::RunSpec& spec, const RunOptions& options,
              const AttachOptions& attach) {
  Interrupts interrupts;
  const std::string id = run::start_run(catalogue, spec);
  annotate(catalogue, id, options);
  return options.detach ? awaitBeginning(catalogue, id, interrupts)
                        : followRun(catalogue, id, attach, interrupts, options.json);
}

}  // namespace

int runProgram(const RunOptions& options) {
  // Everything a person can have mistyped is checked before anything is started.
  refuseUselessWithDetach(options);
  std::vector<Expectation> expectations;
  for (const std::string& text : options.expectations) expectations.push_back(Expectation::parse(text));
  AttachOptions attach;
  attach.quiet = options.quiet || options.json;
  if (!options.timeout.empty()) attach.timeout = protocol::parse_duration(options.timeout);
  std::optional<OutputTarget> report;
  if (!options.report.empty()) report.emplace(options.report).requireWritable();
  const protocol::RunSpec spec = makeSpec(options);

  storage::Catalogue catalogue = openCatalogue();
  const Outcome outcome = train(catalogue, spec, options, attach);
  if (options.detach) return printStarted(outcome, {{"run", outcome.run.id}}, options.json);

  std::vector<Verdict> verdicts;
  if (!outcome.detached) verdicts = judge(expectations, gatherFacts(catalogue, outcome.run));
  const int code = exitCodeOf(outcome, verdicts);
  if (report) writeReport(*report, makeReport(catalogue, outcome.run, verdicts, code));
  printEnd(outcome, verdicts, options.json);
  return code;
}

}  // namespace batchscope::cli
