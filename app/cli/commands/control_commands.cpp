// SPDX-License-Identifier: Apache-2.0
//
// rescale, checkpoint, pause and stop: each sends one request to the run's supervisor. All but checkpoint
// return as soon as the supervisor has agreed; `show` and `attach` show the result.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "batchscope/common/goodput_json.h"
#include "batchscope/common/run_control.h"
#include "batchscope/protocol/control.h"
#include "batchscope/protocol/devices.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/series.h"
#include "batchscope/run/client.h"
#include "batchscope/run/machine.h"
#include "batchscope/run/model.h"
#include "batchscope/run/number_text.h"
#include "commands/commands.h"
#include "commands/elsewhere.h"
#include "records/job_records.h"
#include "records/store.h"
#include "slurm/growth.h"
#include "terminal/json_output.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using Command = protocol::Request::Command;

struct Reply {
  storage::Run run;
  protocol::Json result;
  std::optional<protocol::Model> model;  // the run's fitted model
  std::optional<storage::Job> job;       // if the pool gives the run its devices
};

Reply ask(const RunReference& options, const protocol::Request& request) {
  storage::Catalogue catalogue = openCatalogue();
  const storage::Run run = catalogue.resolve(options.run);
  return {run, common::askRun(catalogue, run, request), common::readableModel(catalogue, run.id),
          catalogue.job(run.id)};
}

int finish(const RunReference& options, const protocol::Request& request, const Reply& reply,
           const std::string& told) {
  return answer(
      options.json,
      {{"run", reply.run.id}, {"command", protocol::command_name(request.command)}, {"result", reply.result}},
      fmt::format("{}: {}", title(reply.run), told));
}

// Returns "; predicted goodput 12,350 (9,880 to 15,440) samples/s", as the supervisor records it with the
// restart. Names the throughput if the efficiency is unknown. Empty if there is no model.
std::string predictionText(const protocol::Json& status, const std::optional<protocol::Model>& model,
                           int replicas) {
  const auto predicted = status.find("predicted");
  if (predicted == status.end() || !predicted->is_object() || !model) return {};
  const auto value = [&](const char* name) { return protocol::decode_number(predicted->at(name)); };
  const bool isGoodput = std::isfinite(value("goodput"));
  const std::string range = run::range_text(value(isGoodput ? "goodput" : "throughput"), value("error"));
  std::string text = isGoodput ? say("; predicted goodput {} samples/s", range)
                               : say("; predicted throughput {} samples/s", range);
  const int devices = run::counted_devices(*model);
  if (devices > 0 && replicas > devices)
    text += model->devices > 0
                ? say(", as they share {}", plural(devices, "device"))
                : say(", as it has been measured on no more than {}", plural(devices, "replica"));
  return text;
}

// Returns what a rescale does, by the run's status in the answer.
std::string rescaleText(const protocol::Request& request, const Reply& reply) {
  const protocol::Json& status = reply.result;
  const bool named = !request.devices.empty();
  const int replicas = request.replicas.value_or(static_cast<int>(request.devices.size()));
  const std::string on =
      plural(replicas, "replica") + (named ? " (" + run::device_list(request.devices) + ")" : "");
  if (reply.job && (status.is_null() || status.value("state", "") == "paused"))
    return reply.job->held ? say("asks for {} from now on; `batchscope release` lets it go on", on)
           : pool::job_state(reply.run, *reply.job) == pool::JobState::held
               ? say("asks for {} from now on; `batchscope resume` lets it go on", on)
               : say("asks for {} from now on; `batchscope queue` says when it has devices", on);
  const bool same = status.value("replicas", 0) == replicas;
  const bool hasBegun = status.value("state", "") != "starting";
  if (reply.job && !named)
    return same ? say("stays on {}", on)
                : say("the pool moves it to {}, as soon as there are devices for them; `batchscope queue` "
                      "says when",
                      on);
  if (same && !named && !hasBegun) return say("stays on {}", on);
  if (!hasBegun) return say("restarts on {} once it has made its first step", on);
  if (same && status.value("state", "") == "running")
    return named ? say("stays on {}", on) : say("stays on {}; goodput no longer chooses the number", on);
  if (same && !named) return say("restarting on {}, as many as now", on);
  return say("restarting on {}", on) + predictionText(status, reply.model, replicas);
}

std::string idOf(const RunReference& options) { return openCatalogue().resolve(options.run).id; }

int leaveForMoreNodes(const RunReference& options, const std::string& id, int replicas) {
  slurm::wantInJobs(id, {.number = replicas, .automatic = std::nullopt});
  protocol::Request request;
  request.command = Command::stop;
  return finish(options, request, ask(options, request),
                say("writes a checkpoint and ends its job; the next job continues with room for {}, "
                    "as soon as Slurm has the nodes",
                    plural(replicas, "replica")));
}

}  // namespace

int rescaleRun(const RescaleOptions& options) {
  if (options.replicas.empty() && options.devices.empty())
    throw Error(ErrorKind::usage,
                say("say how many replicas, or on which --devices, such as: batchscope rescale RUN 2"));
  protocol::check_devices(options.devices);
  protocol::ReplicaCount count;
  if (!options.replicas.empty()) count = protocol::ReplicaCount::parse(options.replicas);
  if (count.automatic && !options.devices.empty())
    throw Error(
        ErrorKind::usage,
        say("--devices sets the number of replicas, so it does not go with auto: leave out one of them"));
  std::vector<std::string> words;
  if (!options.replicas.empty()) words.push_back(options.replicas);
  if (!options.devices.empty())
    words.insert(words.end(), {"--devices", fmt::format("{}", fmt::join(options.devices, ","))});
  if (const auto code = handOn("rescale", options, words)) return *code;
  protocol::Request request;
  request.command = Command::rescale;
  request.devices = options.devices;
  request.replicas = count.number;
  request.auto_replicas = count.automatic;
  const std::string id = idOf(options);
  if (request.replicas && slurm::needsNextJob(id, *request.replicas))
    return leaveForMoreNodes(options, id, *request.replicas);
  const Reply reply = ask(options, request);
  if (request.devices.empty()) slurm::wantInJobs(id, count);
  return finish(options, request, reply,
                count.automatic
                    ? say("from now on goodput chooses the number of replicas; the events say why")
                    : rescaleText(request, reply));
}

int checkpointRun(const RunReference& options) {
  if (const auto code = handOn("checkpoint", options)) return *code;
  protocol::Request request;
  request.command = Command::checkpoint;
  const Reply reply = ask(options, request);
  const protocol::Json& written = reply.result;
  return finish(
      options, request, reply,
      say("{} at step {}, {} in {}", written.value("name", "checkpoint"),
          written.value("step", std::int64_t{0}), formatBytes(written.value("bytes", std::int64_t{0})),
          formatPause(written.value("seconds", 0.0))));
}

int pauseRun(const RunReference& options) {
  if (const auto code = handOn("pause", options)) return *code;
  protocol::Request request;
  request.command = Command::pause;
  const Reply reply = ask(options, request);
  return finish(
      options, request, reply,
      reportsNoCheckpoints(reply.run, reply.result)
          ? say("ending its program without a checkpoint, as it reports none, then freeing its devices; "
                "`batchscope resume` starts the program again")
          : say("checkpointing, then freeing its devices; `batchscope resume` continues it"));
}

int stopRun(const RunReference& options) {
  if (const auto code = handOn("stop", options)) return *code;
  protocol::Request request;
  request.command = Command::stop;
  const Reply reply = ask(options, request);
  return finish(options, request, reply, stopText(reply.run, reportsNoCheckpoints(reply.run, reply.result)));
}

}  // namespace batchscope::cli
