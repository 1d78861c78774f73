// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/control.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "batchscope/protocol/devices.h"

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
  throw Error(ErrorKind::usage, "unknown command " + found->dump() +
                                    ": use status, rescale, checkpoint, pause, resume, stop or subscribe");
}

std::vector<std::string> parse_devices(const Json& json) {
  const bool names = json.is_array() && !json.empty() &&
                     std::all_of(json.begin(), json.end(), [](const Json& name) { return name.is_string(); });
  if (!names) throw Error(ErrorKind::usage, "expected names as in [\"cpu:0\",\"cpu:1\"]");
  auto devices = json.get<std::vector<std::string>>();
  check_devices(devices);
  return devices;
}

// Reads an optional field by `read`, whose complaints then name the field.
template <typename Read>
void read_field(const Json& json, const char* field, Read&& read) {
  const auto found = json.find(field);
  if (found == json.end()) return;
  try {
    read(*found);
  } catch (const Error& error) {
    throw Error(ErrorKind::usage, fmt::format("the field \"{}\": {}", field, error.what()));
  }
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
    throw Error(ErrorKind::version,
                fmt::format("the request has protocol version {}, but this supervisor speaks {}",
                            version.dump(), kControlVersion));
  Request request;
  request.id = json.value("id", Json(0));
  if (!request.id.is_number() && !request.id.is_string())
    throw Error(ErrorKind::usage,
                "the field \"id\" must be a number or a string, found " + request.id.dump());
  request.command = parse_command(json);
  read_field(json, "replicas", [&](const Json& value) {
    const auto count = value.get<ReplicaCount>();
    request.replicas = count.number;
    request.auto_replicas = count.automatic;
  });
  read_field(json, "devices", [&](const Json& value) { request.devices = parse_devices(value); });
  read_field(json, "by", [&](const Json& value) {
    if (value != "pool") throw Error(ErrorKind::usage, "expected \"pool\", found " + value.dump());
    request.by_pool = true;
  });
  if (!request.devices.empty() && request.auto_replicas)
    throw Error(ErrorKind::usage,
                "the field \"devices\" sets the number of replicas, so \"replicas\" cannot be auto");
  if (request.command == Command::rescale && !request.replicas && !request.auto_replicas &&
      request.devices.empty())
    throw Error(ErrorKind::usage, "rescale needs the field \"replicas\" or \"devices\"");
  return request;
}

std::string Request::line() const {
  Json json{{"v", kControlVersion}, {"id", id}, {"command", command_name(command)}};
  if (replicas) json["replicas"] = *replicas;
  if (auto_replicas) json["replicas"] = *auto_replicas;
  if (!devices.empty()) json["devices"] = devices;
  if (by_pool) json["by"] = "pool";
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
    throw Error(ErrorKind::usage, "malformed reply: " + fault_text(e));
  }
}

namespace {

// Calls visit(name, member) for each field of a RunStatus, which may be const.
template <class Status, class Visit>
void visit_fields(Status& status, Visit&& visit) {
  visit("run", status.run), visit("state", status.state);
  visit("phase", status.phase), visit("phase_seconds", status.phase_seconds);
  visit("generation", status.generation), visit("replicas", status.replicas);
  visit("target_replicas", status.target_replicas), visit("auto_replicas", status.auto_replicas);
  visit("step", status.step), visit("epoch", status.epoch), visit("epochs", status.epochs);
  visit("loop", status.loop), visit("loop_fraction", status.loop_fraction);
  visit("total_fraction", status.total_fraction), visit("progress", status.progress);
  visit("elapsed", status.elapsed), visit("remaining", status.remaining);
  visit("latest", status.latest), visit("message", status.message);
  visit("devices", status.devices), visit("rescalable", status.rescalable);
  visit("max_profiled", status.max_profiled), visit("pause", status.pause);
}

Json encoded(RunState state) { return run_state_name(state); }
Json encoded(const std::map<std::string, double>& latest) {
  Json json = Json::object();
  for (const auto& [name, value] : latest) json[name] = encode_number(value);
  return json;
}
template <class Value>
Json encoded(const Value& value) {
  return value;
}

void decode_field(const Json& json, RunState& state) { state = parse_run_state(json.get<std::string>()); }
void decode_field(const Json& json, std::map<std::string, double>& latest) {
  for (const auto& [name, value] : json.items()) latest[name] = decode_number(value);
}
template <class Value>
void decode_field(const Json& json, Value& value) {
  json.get_to(value);
}

}  // namespace

void to_json(Json& json, const RunStatus& status) {
  visit_fields(status, [&](const char* name, const auto& value) { json[name] = encoded(value); });
}

void from_json(const Json& json, RunStatus& status) {
  status = {};
  visit_fields(status, [&](const char* name, auto& value) {
    const auto found = json.find(name);
    if (found == json.end()) return;
    try {
      decode_field(*found, value);
    } catch (const std::exception& e) {
      throw Error(ErrorKind::usage,
                  fmt::format("malformed run status: field \"{}\": {}", name, fault_text(e)));
    }
  });
}

}  // namespace batchscope::protocol
