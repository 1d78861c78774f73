// SPDX-License-Identifier: Apache-2.0
//
// Control requests, replies and the run's status as lines of JSON.
#include "batchscope/protocol/control.h"

#include <array>
#include <utility>

namespace batchscope::protocol {
namespace {

using Command = Request::Command;

constexpr std::array<std::pair<Command, const char*>, 7> kCommands{{{Command::status, "status"},
                                                                    {Command::rescale, "rescale"},
                                                                    {Command::checkpoint, "checkpoint"},
                                                                    {Command::pause, "pause"},
                                                                    {Command::resume, "resume"},
                                                                    {Command::stop, "stop"},
                                                                    {Command::subscribe, "subscribe"}}};

Command parse_command(const Json& json) {
  const auto found = json.find("command");
  if (found == json.end()) throw Error(ErrorKind::usage, "the request has no field \"command\"");
  for (const auto& [command, name] : kCommands)
    if (*found == name) return command;
  throw Error(ErrorKind::usage,
              "unknown command " + found->dump() +
                  "; known are status, rescale, checkpoint, pause, resume, stop, subscribe");
}

}  // namespace

const char* command_name(Command command) {
  for (const auto& [value, name] : kCommands)
    if (value == command) return name;
  return "";
}

Request Request::parse(std::string_view line) {
  const Json json = parse_object(line);
  const Json version = json.value("v", Json());
  if (!version.is_number_integer())
    throw Error(ErrorKind::usage, "the request has no protocol version: add \"v\":1");
  if (version != kControlVersion)
    throw Error(ErrorKind::version, "the request is of protocol version " + version.dump() +
                                        ", this supervisor speaks " + std::to_string(kControlVersion));
  Request request;
  request.id = json.value("id", Json(0));
  if (!request.id.is_number() && !request.id.is_string())
    throw Error(ErrorKind::usage, "the field \"id\" is a number or a string, found " + request.id.dump());
  request.command = parse_command(json);
  if (const auto replicas = json.find("replicas"); replicas != json.end()) {
    ReplicaCount count;
    try {
      count = replicas->get<ReplicaCount>();
    } catch (const Error& error) {
      throw Error(ErrorKind::usage, std::string("the field \"replicas\": ") + error.what());
    }
    request.replicas = count.number;
    request.auto_replicas = count.automatic;
  }
  if (request.command == Command::rescale && !request.replicas && !request.auto_replicas)
    throw Error(ErrorKind::usage, "rescale needs the field \"replicas\"");
  return request;
}

std::string Request::line() const {
  Json json{{"v", kControlVersion}, {"id", id}, {"command", command_name(command)}};
  if (replicas) json["replicas"] = *replicas;
  if (auto_replicas) json["replicas"] = *auto_replicas;
  return json.dump() + "\n";
}

std::string reply_line(const Json& id, const Json& result) {
  return Json{{"v", kControlVersion}, {"id", id}, {"ok", true}, {"result", result}}.dump() + "\n";
}

std::string error_line(const Json& id, const Error& error) {
  const Json body{{"kind", error_kind_name(error.kind())}, {"message", error.what()}};
  return Json{{"v", kControlVersion}, {"id", id}, {"ok", false}, {"error", body}}.dump(
             -1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

Json reply_result(const Json& reply) {
  try {
    if (reply.value("ok", false)) return reply.value("result", Json::object());
    const Json error = reply.value("error", Json::object());
    throw Error(parse_error_kind(error.value("kind", "")),
                error.value("message", "the supervisor gave no reason"));
  } catch (const Json::exception& e) {
    throw Error(ErrorKind::usage, std::string("malformed reply: ") + e.what());
  }
}

void to_json(Json& json, const RunStatus& status) {
  Json latest = Json::object();
  for (const auto& [name, value] : status.latest) latest[name] = encode_number(value);
  json = {{"run", status.run},
          {"state", status.state},
          {"phase", status.phase},
          {"phase_seconds", status.phase_seconds},
          {"generation", status.generation},
          {"replicas", status.replicas},
          {"target_replicas", status.target_replicas},
          {"auto_replicas", status.auto_replicas},
          {"step", status.step},
          {"epoch", status.epoch},
          {"epochs", status.epochs},
          {"loop", status.loop},
          {"loop_fraction", status.loop_fraction},
          {"total_fraction", status.total_fraction},
          {"progress", status.progress},
          {"elapsed", status.elapsed},
          {"remaining", status.remaining},
          {"latest", latest},
          {"message", status.message}};
}

void from_json(const Json& json, RunStatus& status) {
  const RunStatus defaults;
  try {
    status.run = json.value("run", defaults.run);
    status.state = json.value("state", defaults.state);
    status.phase = json.value("phase", defaults.phase);
    status.phase_seconds = json.value("phase_seconds", defaults.phase_seconds);
    status.generation = json.value("generation", defaults.generation);
    status.replicas = json.value("replicas", defaults.replicas);
    status.target_replicas = json.value("target_replicas", defaults.target_replicas);
    status.auto_replicas = json.value("auto_replicas", defaults.auto_replicas);
    status.step = json.value("step", defaults.step);
    status.epoch = json.value("epoch", defaults.epoch);
    status.epochs = json.value("epochs", defaults.epochs);
    status.loop = json.value("loop", defaults.loop);
    status.loop_fraction = json.value("loop_fraction", defaults.loop_fraction);
    status.total_fraction = json.value("total_fraction", defaults.total_fraction);
    status.progress = json.value("progress", defaults.progress);
    status.elapsed = json.value("elapsed", defaults.elapsed);
    status.remaining = json.value("remaining", defaults.remaining);
    status.message = json.value("message", defaults.message);
  } catch (const Json::exception& e) {
    throw Error(ErrorKind::usage, std::string("malformed run status: ") + e.what());
  }
  status.latest.clear();
  const Json latest = json.value("latest", Json::object());
  for (const auto& [name, value] : latest.items()) status.latest[name] = decode_number(value);
}

}  // namespace batchscope::protocol
