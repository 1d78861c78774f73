// SPDX-License-Identifier: Apache-2.0
#include "records/record_line.h"

#include "batchscope/common/data_forms.h"
#include "batchscope/protocol/error.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using protocol::Json;

constexpr std::size_t kMostInBlock = 1'000'000;  // samples
constexpr int kMostGeneration = 1'000'000'000;

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorKind::corrupt, why); }

// Turns a parser's complaint into damage.
template <class Body>
auto guarded(Body&& body) {
  try {
    return body();
  } catch (const Error& error) {
    refuse(error.what());
  }
}

RecordBlock blockFrom(const Json& json) {
  const auto series = json.find("series"), generation = json.find("generation"), steps = json.find("steps"),
             values = json.find("values"), from = json.find("from");
  if (series == json.end() || !series->is_string() || generation == json.end() ||
      !generation->is_number_integer() || steps == json.end() || !steps->is_array() || values == json.end() ||
      !values->is_array() || (from != json.end() && !from->is_number_unsigned()))
    refuse(say("a line has neither samples nor the end"));
  RecordBlock block;
  block.series = *series;
  const Json::number_integer_t number = *generation;
  if (number < 0 || number > kMostGeneration) refuse(say("a generation is out of range"));
  if (steps->size() != values->size() || steps->size() > kMostInBlock)
    refuse(say("the numbers of steps and values differ, or are too large"));
  block.generation = static_cast<int>(number);
  if (from != json.end()) {
    block.from = *from;
    if (block.from < 0) refuse(say("a position is out of range"));
  }
  for (std::size_t i = 0; i < steps->size(); ++i) {
    const Json& step = (*steps)[i];
    if (!step.is_number_integer() || (step.is_number_unsigned() && step.get<std::uint64_t>() > INT64_MAX))
      refuse(say("a step is not a whole number"));
    const auto number = step.get<std::int64_t>();
    if (number < 0) refuse(say("a step is negative"));
    if (!block.samples.empty() && number < block.samples.back().step) refuse(say("its steps descend"));
    block.samples.push_back({number, guarded([&] { return protocol::decode_number((*values)[i]); })});
  }
  return block;
}

}  // namespace

RecordLine parseRecordLine(std::string_view text) {
  Json json = guarded([&] { return protocol::parse_object(text); });
  if (json.contains("format")) return json;
  const auto end = json.find("end");
  if (end == json.end()) return blockFrom(json);
  const auto samples = end->is_object() ? end->find("samples") : end->end();
  if (!end->is_object() || samples == end->end() || !samples->is_number_integer())
    refuse(say("its last line does not say how many samples there are"));
  return RecordEnd{*samples};
}

std::string recordText(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string blockText(const std::string& series, int generation, std::int64_t from,
                      std::span<const storage::Sample> samples) {
  Json steps = Json::array(), values = Json::array();
  for (const storage::Sample& sample : samples) {
    steps.push_back(sample.step);
    values.push_back(common::jsonNumber(sample.value));
  }
  return recordText(
      {{"series", series}, {"generation", generation}, {"from", from}, {"steps", steps}, {"values", values}});
}

std::string endText(const RecordEnd& end) { return recordText({{"end", {{"samples", end.samples}}}}); }

}  // namespace batchscope::cli
