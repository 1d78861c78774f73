// SPDX-License-Identifier: Apache-2.0
//
// pool: shows the pool's settings, its decisions, and what more devices would be worth.
#include <fmt/format.h>
#include <unistd.h>

#include <QThread>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "batchscope/common/node_lanes.h"
#include "batchscope/common/queue_json.h"
#include "batchscope/run/machine.h"
#include "batchscope/run/pool.h"
#include "batchscope/storage/record_json.h"
#include "queue/queue_commands.h"
#include "records/job_records.h"
#include "records/store.h"
#include "slurm/job_submission.h"
#include "slurm/pool_nodes.h"
#include "terminal/json_output.h"
#include "text/say.h"
#include "text/table.h"

namespace batchscope::cli {
namespace {

using protocol::Json;
using protocol::PoolDecision;
using protocol::PoolSettings;

constexpr auto kPatienceWithNodes = std::chrono::seconds(5);

int deviceLimit(const std::string& text) {
  if (text == "all") return 0;
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc() || rest != end || number < 1)
    throw Error(ErrorKind::usage, say("--devices '{}': write a number from 1, or all", text));
  return number;
}

// The command takes its nodes back before it is forgotten. Another one takes over the nodes that there are.
void setNodesFrom(const std::string& command, PoolSettings& settings) {
  if (command.empty() || settings.nodes_from.empty()) settings.agents.clear();
  settings.nodes_ending = command.empty() && !settings.nodes_from.empty();
  if (!command.empty()) settings.nodes_from = command;
}

bool isSlurmOff(const PoolOptions& options) { return options.partition == slurm::kOff; }

void applySlurm(const PoolOptions& options, PoolSettings& settings) {
  PoolSettings onSlurm = settings;
  slurm::usePoolNodes(options, onSlurm);
  setNodesFrom(onSlurm.nodes_from, settings);
  settings.agents_by = onSlurm.agents_by;
  settings.here = onSlurm.here;
}

// Throws Error(usage) for values that make no sense, alone or together.
void apply(const PoolOptions& options, PoolSettings& settings) {
  if (!options.policy.empty()) settings.policy = options.policy;
  if (options.pause || options.resume) settings.paused = options.pause;
  if (options.drain || options.noDrain) settings.draining = options.drain;
  if (!options.devices.empty()) settings.devices = deviceLimit(options.devices);
  if (!options.turn.empty()) settings.turn = protocol::parse_duration(options.turn);
  settings.price_per_device_hour = options.price.value_or(settings.price_per_device_hour);
  settings.scale_command = options.scaleCommand.value_or(settings.scale_command);
  settings.preempt_notice = options.preemptNotice.value_or(settings.preempt_notice);
  settings.agents_by = options.agentsBy.value_or(settings.agents_by);
  if (isSlurmOff(options))
    setNodesFrom("", settings);
  else if (!options.partition.empty())
    applySlurm(options, settings);
  if (options.nodesFrom) setNodesFrom(*options.nodesFrom, settings);
  if (!options.tls.empty()) settings.tls = options.tls == "yes";
  if (!options.here.empty()) settings.here = options.here == "yes";
  if (options.agents && !settings.nodes_from.empty())
    throw Error(ErrorKind::usage, say("--agents: the nodes come from a command; end that first, with "
                                      "--nodes-from ''"));
  settings.agents = options.agents.value_or(settings.agents);
  settings.check();
}

void refuseContradictions(const PoolOptions& options) {
  if ((options.pause && options.resume) || (options.drain && options.noDrain))
    throw Error(ErrorKind::usage, say("{} and {} contradict each other: leave out one of them",
                                      options.pause && options.resume ? "--pause" : "--drain",
                                      options.pause && options.resume ? "--resume" : "--no-drain"));
  if (!options.partition.empty() && (options.nodesFrom || options.agents || options.agentsBy))
    throw Error(
        ErrorKind::usage,
        say("--slurm says where the nodes are and how they are reached: leave out --nodes-from, --agents and "
            "--agents-by"));
  if (options.partition.empty() || isSlurmOff(options)) slurm::refuseWithoutSlurm(options);
  PoolSettings settings;
  apply(options, settings);
}

std::string machineText(const run::Machine& machine) {
  const std::string cores = plural(machine.cores.size(), "core");
  return machine.gpus.empty() ? cores : plural(machine.gpus.size(), "GPU") + ", " + cores;
}

std::string nameOf(storage::Catalogue& catalogue, const std::string& id) {
  const auto run = catalogue.run(id);
  return run ? run->name : "";
}

// "with 1: -30 %, with 3: +12 %, with none it would wait"
std::string alternativesText(const protocol::PoolChoice& choice) {
  std::vector<std::string> texts;
  for (const protocol::PoolAlternative& other : choice.alternatives)
    texts.push_back(other.devices == 0 ? say("with none it would wait")
                                       : say("with {}: {:+.0f} %", other.devices, other.speedup * 100));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string decisionText(storage::Catalogue& catalogue, const PoolDecision& decision, const Style& style) {
  Table table({{say("RUN")},
               {say("NAME"), Table::Align::left, true},
               {say("DEVICES"), Table::Align::left, true},
               {say("BEFORE"), Table::Align::right},
               {say("WHY")}});
  for (const protocol::PoolChoice& choice : decision.choices) {
    table.addRow({choice.run, nameOf(catalogue, choice.run),
                  choice.devices.empty() ? "-" : run::device_list(choice.devices),
                  std::to_string(choice.before), choice.why});
    const std::string others = alternativesText(choice);
    const std::string separator = choice.reason.empty() || others.empty() ? "" : "; ";
    if (const std::string note = choice.reason + separator + others; !note.empty()) table.addNote(note);
  }
  std::string text =
      style.paint(printable(say("Decision {}, {}, {}: {}", decision.id,
                                formatAge(storage::now() - decision.time), decision.policy, decision.cause)),
                  Colour::bold);
  text += '\n';
  if (!table.isEmpty()) text += table.text(style);
  if (!decision.idle.empty()) text += say("idle: {}", run::device_list(decision.idle)) + '\n';
  return text;
}

bool isLookedFor(const protocol::PoolNode& node) { return !node.there && node.why.empty(); }

// "1 of 2 cores in use: digits cpu:0"
std::string laneText(const common::NodeLane& lane) {
  const QString runs = common::nodeRunsText(lane);
  const QString text = common::nodeText(lane, storage::now());
  return (runs.isEmpty() ? text : text + ": " + runs).toStdString();
}

// Waits a moment for the nodes that the pool has just been told of.
void awaitNodes(storage::Catalogue& catalogue) {
  const auto deadline = std::chrono::steady_clock::now() + kPatienceWithNodes;
  while (std::ranges::any_of(run::pool_nodes(catalogue), isLookedFor) &&
         std::chrono::steady_clock::now() < deadline)
    QThread::msleep(50);
}

// `needed`: there is something to decide.
std::string settingsText(const PoolSettings& settings, const std::vector<common::NodeLane>& lanes,
                         bool needed) {
  const auto line = [](const std::string& name, const std::string& value) {
    return value.empty() ? "" : fmt::format("{:<15} {}\n", name, printable(value));
  };
  const std::string hang = run::kPool.hang();
  const auto heartbeat = run::kPool.heartbeat();
  std::string state = !hang.empty() ? hang
                      : heartbeat   ? say("at work, heard {} ago", formatDuration(heartbeat->age))
                      : needed      ? say("not running, though runs wait: batchscope pool --resume starts it")
                                    : say("idle, until there is something to decide");
  if (settings.paused) state += say("; paused, runs keep the devices that they have");
  if (settings.draining) state += say("; draining, nothing is started");
  const run::Machine machine = run::Machine::here();
  const std::string all = machineText(machine);
  const auto kinds = {machine.cores.size(), machine.gpus.size()};  // each of which is bounded
  const bool isBound =
      settings.devices > 0 && (common::areSeveral(lanes) || std::cmp_less(settings.devices, std::max(kinds)));
  const std::string shared = isBound ? say("at most {} of {}", settings.devices, all) : all;
  std::string nodeLines;
  if (common::areSeveral(lanes))
    for (const common::NodeLane& lane : lanes)
      nodeLines += line(lane.node.empty() ? say("here") : say("node {}", lane.node), laneText(lane));
  return line(say("pool"), state) + line(say("policy"), settings.policy) +
         line(say("devices"),
              settings.here ? shared
                            : say("none of this machine's; to share them: batchscope pool --here yes")) +
         line(say("nodes from"), settings.nodes_from) +
         line("", settings.nodes_ending ? say("they are being given back") : "") + nodeLines +
         line(say("turns"), say("of {}", formatDuration(settings.turn))) +
         line(say("price"), settings.price_per_device_hour > 0
                                ? say("{:g} per device and hour", settings.price_per_device_hour)
                                : "") +
         line(say("scale command"), settings.scale_command) +
         line(say("preempt notice"), settings.preempt_notice) + line(say("agents by"), settings.agents_by) +
         line(say("lines to nodes"), settings.tls ? say("encrypted (TLS)") : "");
}

// Returns the latest of the expected ends; 0: none is known.
double endOf(storage::Catalogue& catalogue) {
  double end = 0;
  for (const storage::Job& job : catalogue.jobs()) end = std::max(end, job.expected_end);
  return end;
}

std::size_t devicesIn(const PoolDecision& decision) {
  std::size_t count = decision.idle.size();
  for (const protocol::PoolChoice& choice : decision.choices) count += choice.devices.size();
  return count;
}

int advise(storage::Catalogue& catalogue, bool json) {
  const auto decision = catalogue.last_decision();
  if (!decision)
    throw Error(ErrorKind::not_found,
                say("the pool has decided nothing yet, and has no advice: batchscope submit PROGRAM"));
  const double end = endOf(catalogue);
  const std::size_t devices = devicesIn(*decision);
  const std::string sentence = common::poolAdvice(catalogue);
  return answer(json,
                {{"time", decision->time},
                 {"devices", devices},
                 {"wanted", decision->wanted},
                 {"utility", decision->utility},
                 {"end_now", storage::field_json(end, storage::Meaning::later_time)},
                 {"sentence", sentence}},
                !sentence.empty() ? printable(sentence)
                : devices == 1    ? say("1 device is enough")
                                  : say("{} devices are enough", devices));
}

int listDecisions(storage::Catalogue& catalogue, int most, bool json) {
  std::vector<PoolDecision> decisions = catalogue.decisions();
  if (decisions.size() > static_cast<std::size_t>(most))
    decisions.erase(decisions.begin(), decisions.end() - most);
  if (json) {
    printJson({{"decisions", decisions}});
    return kExitOk;
  }
  const Style style = terminalStyle(STDOUT_FILENO);
  if (decisions.empty()) fmt::print("{}\n", say("The pool has decided nothing yet."));
  for (const PoolDecision& decision : decisions)
    fmt::print("{}{}", &decision == &decisions.front() ? "" : "\n", decisionText(catalogue, decision, style));
  return kExitOk;
}

}  // namespace

int showPool(const PoolOptions& options) {
  refuseContradictions(options);
  storage::Catalogue catalogue = openCatalogue();
  const PoolSettings before = catalogue.pool_settings();
  PoolSettings after = before;
  apply(options, after);
  if (!options.partition.empty() && !isSlurmOff(options)) slurm::tryPoolNodes(options);
  // Also where all is as asked: a pool that died is started.
  const bool asked = options.resume || options.noDrain || after.nodes_ending;
  if (asked || !(after == before))
    pool::configure(catalogue, [&](PoolSettings& settings) { apply(options, settings); });
  if (options.agents) awaitNodes(catalogue);
  if (options.advise) return advise(catalogue, options.json);
  if (options.decisions) return listDecisions(catalogue, *options.decisions, options.json);
  const auto decision = catalogue.last_decision();
  if (options.json) {
    printJson({{"settings", catalogue.pool_settings()},
               {"nodes", run::pool_nodes(catalogue)},
               {"alive", run::kPool.alive()},
               {"heartbeat", common::heartbeatJson(run::kPool)},
               {"needed", catalogue.pool_needed()},
               {"decision", decision ? Json(*decision) : Json()}});
    return kExitOk;
  }
  fmt::print("{}",
             settingsText(catalogue.pool_settings(), common::nodeLanes(catalogue), catalogue.pool_needed()));
  if (!decision) return kExitOk;
  fmt::print("\n{}", decisionText(catalogue, *decision, terminalStyle(STDOUT_FILENO)));
  if (const std::string advice = common::poolAdvice(catalogue); !advice.empty())
    fmt::print("{}\n", printable(advice));
  return kExitOk;
}

}  // namespace batchscope::cli
