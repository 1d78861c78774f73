// SPDX-License-Identifier: Apache-2.0
//
// Telemetry messages to and from lines. Each message names its fields once, in `fields`; the encoder and
// the decoder are two visitors of that list.
#include "batchscope/protocol/telemetry.h"

#include <fmt/core.h>
#include <time.h>

#include <functional>
#include <type_traits>

#include "batchscope/protocol/error.h"

namespace batchscope::protocol {
namespace {

// Calls visit(name, member) for each field of a message; M may be const.
template <typename M, typename V>
void fields(M& m, V&& visit) {
  using T = std::remove_const_t<M>;
  if constexpr (std::is_same_v<T, Hello>) {
    visit("version", m.version), visit("rank", m.rank), visit("generation", m.generation),
        visit("pid", m.pid);
    visit("backend", m.backend), visit("device", m.device), visit("library", m.library);
    visit("threads", m.threads), visit("forked", m.forked), visit("started", m.started),
        visit("mono", m.mono);
    visit("heartbeats", m.heartbeats), visit("checkpoints", m.checkpoints), visit("serves", m.serves);
  } else if constexpr (std::is_same_v<T, Restored>) {
    visit("rank", m.rank), visit("checkpoint", m.checkpoint), visit("step", m.step), visit("mono", m.mono);
  } else if constexpr (std::is_same_v<T, Steps>) {
    visit("first_step", m.first_step), visit("columns", m.columns), visit("dropped", m.dropped);
  } else if constexpr (std::is_same_v<T, Scalar>) {
    visit("name", m.name), visit("step", m.step), visit("value", m.value), visit("mono", m.mono);
  } else if constexpr (std::is_same_v<T, Heartbeat>) {
    visit("rank", m.rank), visit("step", m.step), visit("phase", m.phase);
    visit("waiting", m.waiting), visit("since", m.since), visit("mono", m.mono);
  } else if constexpr (std::is_same_v<T, Position>) {
    visit("epoch", m.epoch), visit("epochs", m.epochs), visit("loop", m.loop), visit("fraction", m.fraction);
    visit("progress", m.progress), visit("mono", m.mono);
  } else if constexpr (std::is_same_v<T, EpochMark>) {
    visit("epoch", m.epoch), visit("begin", m.begin), visit("step", m.step), visit("mono", m.mono);
  } else if constexpr (std::is_same_v<T, LedgerEntry>) {
    visit_fields(m, visit);
  } else if constexpr (std::is_same_v<T, Model>) {
    visit("perf", m.perf), visit("core_exponent", m.core_exponent);
    visit("core_overhead", m.core_overhead), visit("contention", m.contention);
    visit("update_time", m.update_time);
    visit("cores", m.cores), visit("divides_cores", m.divides_cores);
    visit("keeps_fastest_cores", m.keeps_fastest_cores);
    visit("grad_sqr", m.grad_sqr), visit("grad_var", m.grad_var);
    visit("grad_sqr_error", m.grad_sqr_error);
    visit("init_batch_size", m.init_batch_size), visit("max_batch_size", m.max_batch_size);
    visit("min_local_batch_size", m.min_local_batch_size),
        visit("max_local_batch_size", m.max_local_batch_size);
    visit("accumulation", m.accumulation), visit("single_gradient", m.single_gradient);
    visit("micro_batches", m.micro_batches);
    visit("devices", m.devices), visit("max_profiled_replicas", m.max_profiled_replicas);
    visit("min_profiled_local_batch_size", m.min_profiled_local_batch_size);
    visit("max_profiled_local_batch_size", m.max_profiled_local_batch_size);
    visit("residual", m.residual), visit("step", m.step);
  } else if constexpr (std::is_same_v<T, CheckpointWritten>) {
    visit("name", m.name), visit("reason", m.reason), visit("step", m.step), visit("epoch", m.epoch);
    visit("progress", m.progress), visit("bytes", m.bytes), visit("last_step", m.last_step);
    visit("began", m.began), visit("mono", m.mono);
  } else if constexpr (std::is_same_v<T, Triggered>) {
    visit("index", m.index), visit("step", m.step), visit("mono", m.mono);
  } else if constexpr (std::is_same_v<T, Refused>) {
    visit("text", m.text), visit("step", m.step);
  } else if constexpr (std::is_same_v<T, Hyperparameters>) {
    visit("values", m.values);
  } else if constexpr (std::is_same_v<T, Notice>) {
    visit("level", m.level), visit("text", m.text), visit("step", m.step);
  } else if constexpr (std::is_same_v<T, Failure>) {
    visit("rank", m.rank), visit("kind", m.kind), visit("text", m.text), visit("step", m.step);
    visit("local_batch_size", m.local_batch_size), visit("mono", m.mono);
    visit("checkpoint", m.checkpoint);
  } else {
    static_assert(std::is_same_v<T, Goodbye>);
    visit("rank", m.rank), visit("code", m.code), visit("step", m.step), visit("mono", m.mono);
  }
}

// Names of the types in the order of the variant.
constexpr const char* kTypes[] = {
    "hello", "restored",   "steps",     "scalar",  "heartbeat",       "position", "epoch",   "ledger",
    "model", "checkpoint", "triggered", "refused", "hyperparameters", "notice",   "goodbye", "failure"};
static_assert(std::size(kTypes) == std::variant_size_v<Message>);

Json encode_value(double value) { return encode_number(value); }
Json encode_value(const std::map<std::string, std::vector<double>>& columns) {
  Json json = Json::object();
  for (const auto& [name, values] : columns) json[name] = encode_numbers(values);
  return json;
}
// A list, as telemetry and the catalogue have had it since version 1; empty: none.
Json encode_value(const std::optional<PerfParams>& params) {
  Json list = Json::array();
  if (params) visit_fields(*params, [&](const char*, double value) { list.push_back(encode_number(value)); });
  return list;
}
template <typename T>
Json encode_value(const T& value) {
  return value;
}

void decode_value(const Json& json, double& value) { value = decode_number(json); }
void decode_value(const Json& json, std::map<std::string, std::vector<double>>& columns) {
  columns.clear();
  for (const auto& [name, values] : json.get_ref<const Json::object_t&>())
    columns[name] = decode_numbers(values);
}
void decode_value(const Json& json, std::optional<PerfParams>& params) {
  const std::vector<double> values = decode_numbers(json);
  params.emplace();
  std::size_t count = 0;
  visit_fields(*params, [&](const char*, double& member) {
    if (count < values.size()) member = values[count];
    ++count;
  });
  if (values.size() < count) params.reset();
}
// The largest whole number that is taken, either way. Whoever reads a message may add two of its numbers or
// take one from the other; and up to there a double, as which other readers of JSON take it, is exact.
template <typename T>
constexpr std::int64_t kMost = std::int64_t{1} << (sizeof(T) < sizeof(std::int64_t) ? 30 : 53);

template <typename T>
void decode_value(const Json& json, T& value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (!json.is_number_integer())
      throw Error(ErrorKind::usage, "expected a whole number, found " + json.dump());
    const bool within = json.is_number_unsigned() ? json.get<std::uint64_t>() <= std::uint64_t{kMost<T>}
                                                  : json.get<std::int64_t>() >= -kMost<T>;
    if (!within)
      throw Error(ErrorKind::usage, fmt::format("expected a whole number between -{} and {}, found {}",
                                                kMost<T>, kMost<T>, json.dump()));
  }
  json.get_to(value);
}

// Reads a field of a message by `read`; one that is missing keeps its default. Not a template: each field of
// each message would have a copy.
void decode_member(const char* type, const Json& json, const char* name,
                   const std::function<void(const Json&)>& read) {
  const auto found = json.find(name);
  if (found == json.end()) return;
  try {
    read(*found);
  } catch (const std::exception& e) {
    throw Error(ErrorKind::usage,
                fmt::format("telemetry message \"{}\", field \"{}\": {}", type, name, fault_text(e)));
  }
}

template <typename T>
Message decode_as(const char* type, const Json& json) {
  T message;
  fields(message, [&](const char* name, auto& member) {
    decode_member(type, json, name, [&](const Json& value) { decode_value(value, member); });
  });
  if constexpr (std::is_same_v<T, Steps>) {
    for (const auto& [name, values] : message.columns)
      if (values.size() != message.columns.begin()->second.size())
        throw Error(ErrorKind::usage,
                    "telemetry message \"steps\": column \"" + name + "\" differs in length from the others");
  }
  return message;
}

template <std::size_t I = 0>
Message decode_type(const std::string& type, const Json& json) {
  if constexpr (I == std::variant_size_v<Message>) {
    throw Error(ErrorKind::usage, "unknown telemetry message \"" + type + "\"");
  } else {
    if (type == kTypes[I]) return decode_as<std::variant_alternative_t<I, Message>>(kTypes[I], json);
    return decode_type<I + 1>(type, json);
  }
}

}  // namespace

std::string encode(const Message& message) {
  Json json{{"type", kTypes[message.index()]}};
  std::visit(
      [&](const auto& m) {
        fields(m, [&](const char* name, const auto& member) { json[name] = encode_value(member); });
      },
      message);
  // Text that is not UTF-8 (a program's own names) must not end a run.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Message decode(std::string_view line) {
  const Json json = parse_object(line);
  const auto type = json.find("type");
  if (type == json.end() || !type->is_string())
    throw Error(ErrorKind::usage, "telemetry message without a \"type\"");
  return decode_type(type->get<std::string>(), json);
}

double monotonic_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace batchscope::protocol
