// SPDX-License-Identifier: Apache-2.0
#include "nodes/messages.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cmath>

#include "batchscope/protocol/device_series.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/node_name.h"

namespace batchscope::run {
namespace {

using protocol::Json;

template <typename Value>
Value field(const Json& json, const char* name) {
  try {
    return json.at(name).get<Value>();
  } catch (const Json::exception&) {
    throw Error(ErrorKind::usage, std::string("a message between nodes has no valid \"") + name + "\"");
  }
}

std::string strict(const Json& json) {
  try {
    return json.dump();
  } catch (const Json::exception&) {
    throw Error(ErrorKind::usage, "an environment or an argument that is not UTF-8 cannot be sent to a node");
  }
}

std::string lenient(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

void check_version(const Json& json) {
  if (const int version = field<int>(json, "version"); version != kNodesVersion)
    throw Error(ErrorKind::version,
                fmt::format("it speaks version {} of the nodes' protocol, but this is version {}: use "
                            "the same batchscope on all nodes",
                            version, kNodesVersion));
}

int checked_port(const Json& json) {
  const int port = field<int>(json, "port");
  if (port < 1 || port > 65535) throw Error(ErrorKind::usage, fmt::format("there is no port {}", port));
  return port;
}

Json to_json(const ReplicaOrder& order) {
  return {{"program", order.program},
          {"arguments", order.arguments},
          {"directory", order.working_directory},
          {"environment", order.environment}};
}

ReplicaOrder replica_from(const Json& json) {
  ReplicaOrder order;
  order.program = field<std::string>(json, "program");
  order.arguments = field<std::vector<std::string>>(json, "arguments");
  order.working_directory = field<std::string>(json, "directory");
  order.environment = field<std::map<std::string, std::string>>(json, "environment");
  return order;
}

// A name is what becomes a folder's on the other side.
std::string checkpoint_in(const Json& name) {
  if (!name.is_string() || !protocol::checkpoint_number(name.get<std::string>()))
    throw Error(ErrorKind::usage, name.dump() + " is not a name of a checkpoint");
  return name;
}

}  // namespace

std::string encode(const Welcome& welcome) {
  return Json{{"version", kNodesVersion}, {"token", welcome.token}, {"tls", welcome.tls}}.dump();
}

Welcome decode_welcome(std::string_view line) {
  const Json json = protocol::parse_object(line);
  check_version(json);
  Welcome welcome{field<std::string>(json, "token"), field<bool>(json, "tls")};
  if (welcome.token.size() != 64) throw Error(ErrorKind::usage, "the token does not have 64 digits");
  return welcome;
}

std::string encode(const NodeOffer& offer) {
  return lenient({{"node", offer.node},
                  {"address", offer.address},
                  {"port", offer.port},
                  {"cores", offer.machine.cores},
                  {"gpus", offer.machine.gpus},
                  {"tls", offer.tls},
                  {"version", kNodesVersion}});
}

NodeOffer decode_offer(std::string_view line) {
  const Json json = protocol::parse_object(line);
  check_version(json);
  NodeOffer offer{
      field<std::string>(json, "node"),
      field<std::string>(json, "address"),
      checked_port(json),
      {field<std::vector<std::string>>(json, "cores"), field<std::vector<std::string>>(json, "gpus")},
      json.value("tls", Json()) == true};
  if (!protocol::valid_node_name(offer.node))
    throw Error(ErrorKind::usage, "'" + offer.node + "' is not a name of a node");
  if (offer.machine.cores.empty()) throw Error(ErrorKind::usage, "node " + offer.node + " has no core");
  return offer;
}

std::string why_refused(const NodeOffer& offer, bool asked_for_tls) {
  if (offer.tls == asked_for_tls) return {};
  return fmt::format("its agent {}; use the same batchscope on all nodes",
                     asked_for_tls ? "does not encrypt its lines, which --tls asks for"
                                   : "encrypts its lines, which nobody asked for");
}

std::string encode(const NodeHello& hello) {
  return Json{{"version", kNodesVersion},
              {"token", hello.token},
              {"caller", hello.caller == Caller::supervisor ? "supervisor" : "replica"}}
      .dump();
}

NodeHello decode_hello(std::string_view bytes) {
  const Json json = protocol::parse_object(bytes);
  check_version(json);
  const auto caller = field<std::string>(json, "caller");
  if (caller != "supervisor" && caller != "replica")
    throw Error(ErrorKind::usage, "its caller is neither a supervisor nor a replica");
  return {field<std::string>(json, "token"), caller == "supervisor" ? Caller::supervisor : Caller::stand_in};
}

bool same_token(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  unsigned char difference = 0;
  for (std::size_t at = 0; at < one.size(); ++at)
    difference |= static_cast<unsigned char>(one[at]) ^ static_cast<unsigned char>(other[at]);
  return difference == 0;
}

std::string encode(const ReplicaOrder& order) { return strict(to_json(order)); }
ReplicaOrder decode_order(std::string_view bytes) { return replica_from(protocol::parse_object(bytes)); }

std::string encode(const ProgramOrder& order) {
  Json json = to_json(order.program);
  json["mark"] = order.mark;
  return strict(json);
}

ProgramOrder decode_program(std::string_view bytes) {
  const Json json = protocol::parse_object(bytes);
  return {replica_from(json), field<std::string>(json, "mark")};
}

std::string encode_ready(bool sees_folder) { return Json{{"sees_folder", sees_folder}}.dump(); }
bool decode_ready(std::string_view bytes) {
  return field<bool>(protocol::parse_object(bytes), "sees_folder");
}

std::string encode(const StandInOrder& order) {
  Json json = to_json(order.replica);
  json["address"] = order.address;
  json["port"] = order.port;
  json["token"] = order.welcome.token;
  json["tls"] = order.welcome.tls;
  json["telemetry"] = order.telemetry_socket;
  json["checkpoints"] = order.checkpoints;
  return strict(json);
}

StandInOrder decode_stand_in(std::string_view bytes) {
  const Json json = protocol::parse_object(bytes);
  return {field<std::string>(json, "address"),
          checked_port(json),
          {field<std::string>(json, "token"), field<bool>(json, "tls")},
          field<std::string>(json, "telemetry"),
          field<std::string>(json, "checkpoints"),
          replica_from(json)};
}

const std::vector<int>& handed_signals() {
  static const std::vector<int> signals{SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
  return signals;
}

std::string encode(const HandedSignal& signal) {
  return Json{{"signal", signal.number}, {"value", signal.value}}.dump();
}

HandedSignal decode_signal(std::string_view bytes) {
  const Json json = protocol::parse_object(bytes);
  const HandedSignal signal{field<int>(json, "signal"), field<int>(json, "value")};
  const auto& known = handed_signals();
  if (std::find(known.begin(), known.end(), signal.number) == known.end())
    throw Error(ErrorKind::usage, fmt::format("signal {} is not handed on", signal.number));
  return signal;
}

std::string encode(const News& news) { return lenient({{"level", news.level}, {"text", news.text}}); }

News decode_news(std::string_view bytes) {
  const Json json = protocol::parse_object(bytes);
  return {field<std::string>(json, "level"), field<std::string>(json, "text")};
}

std::string encode_beat(double mono) { return Json{{"mono", mono}}.dump(); }
double decode_beat(std::string_view bytes) { return field<double>(protocol::parse_object(bytes), "mono"); }

// JSON has no word for what is not a number, as of a GPU that does not tell.
std::string encode(const NodeUse& use) {
  Json values = Json::array();
  for (const auto& value : use.values)
    if (std::isfinite(value.second)) values.push_back(Json(value));
  return Json{{"generation", use.generation}, {"replicas", use.replicas}, {"values", values}}.dump();
}

NodeUse decode_use(std::string_view bytes) {
  const Json json = protocol::parse_object(bytes);
  NodeUse use{field<int>(json, "generation"), field<int>(json, "replicas"),
              field<std::vector<std::pair<std::string, double>>>(json, "values")};
  for (const auto& [series, value] : use.values)
    if (!series.starts_with(protocol::series::kDevicePrefix))
      throw Error(ErrorKind::usage, "'" + series + "' is not what a replica uses of its node");
  return use;
}

std::string encode_status(int status) { return Json{{"status", status}}.dump(); }
int decode_status(std::string_view bytes) { return field<int>(protocol::parse_object(bytes), "status"); }

std::string encode(const TelemetryBytes& telemetry) {
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8)
    frame += static_cast<char>(telemetry.connection >> shift & 255);
  return frame.append(telemetry.bytes);
}

TelemetryBytes decode_telemetry(std::string_view bytes) {
  if (bytes.size() < 4) throw Error(ErrorKind::usage, "telemetry of no connection");
  TelemetryBytes telemetry{0, bytes.substr(4)};
  for (const char byte : bytes.substr(0, 4))
    telemetry.connection = telemetry.connection << 8 | static_cast<unsigned char>(byte);
  return telemetry;
}

std::string encode(const OfferedCheckpoint& offer) {
  return Json{{"name", offer.name}, {"manifest_crc32", offer.manifest_crc32}, {"later", offer.later}}.dump();
}

OfferedCheckpoint decode_offered(std::string_view bytes) {
  const Json json = protocol::parse_object(bytes);
  OfferedCheckpoint offer{.manifest_crc32 = field<std::uint32_t>(json, "manifest_crc32")};
  if (!field<std::string>(json, "name").empty()) offer.name = checkpoint_in(json.at("name"));
  for (const Json& name : field<std::vector<Json>>(json, "later")) offer.later.push_back(checkpoint_in(name));
  return offer;
}

std::string encode_wanted(bool wanted) { return Json{{"wanted", wanted}}.dump(); }
bool decode_wanted(std::string_view bytes) { return field<bool>(protocol::parse_object(bytes), "wanted"); }

std::string encode(const AnnouncedCheckpoint& checkpoint) {
  return Json{{"name", checkpoint.name}, {"manifest_bytes", checkpoint.manifest_bytes}}.dump();
}

AnnouncedCheckpoint decode_announced(std::string_view bytes) {
  const Json json = protocol::parse_object(bytes);
  AnnouncedCheckpoint checkpoint{checkpoint_in(json.value("name", Json())),
                                 field<std::int64_t>(json, "manifest_bytes")};
  if (checkpoint.manifest_bytes < 1)
    throw Error(ErrorKind::usage, checkpoint.name + " is announced without a manifest");
  return checkpoint;
}

}  // namespace batchscope::run
