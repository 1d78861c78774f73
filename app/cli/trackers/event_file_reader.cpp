// SPDX-License-Identifier: Apache-2.0
#include "trackers/event_file_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "batchscope/protocol/event_file.h"
#include "text/say.h"
#include "trackers/wire.h"

namespace batchscope::cli {
namespace {

constexpr std::size_t kHeading = 12, kTrailer = 4;              // bytes around a record's data
constexpr std::uint64_t kLongestScalars = 16u << 20;            // longer records hold images and the like
constexpr std::uint64_t kLongestData = std::uint64_t{1} << 40;  // bytes; beyond it a length is damage

// A tensor of one float or double. It lies in tensor_content, or in the field of its type.
std::optional<double> scalarOf(std::string_view tensor) {
  constexpr std::uint64_t kFloat = 1, kDouble = 2;
  std::uint64_t type = 0;
  std::string_view content, floats, doubles;
  std::optional<double> single;
  bool isScalar = true;
  const bool isWhole = visitFields(tensor, [&](const WireField& field) {
    if (field.is(1, WireField::varint)) type = field.integer;
    if (field.is(2, WireField::bytes))  // shape
      isScalar = isScalar && visitFields(field.text, [&](const WireField& dimension) {
                   if (dimension.is(2, WireField::bytes))
                     isScalar = isScalar && visitFields(dimension.text, [&](const WireField& size) {
                                  if (size.is(1, WireField::varint)) isScalar = isScalar && size.integer == 1;
                                });
                 });
    if (field.is(4, WireField::bytes)) content = field.text;
    if (field.is(5, WireField::bytes)) floats = field.text;
    if (field.is(6, WireField::bytes)) doubles = field.text;
    if (field.is(5, WireField::fixed32) || field.is(6, WireField::fixed64)) single = field.real();
  });
  if (!isWhole || !isScalar) return std::nullopt;
  if (single && (type == kFloat || type == kDouble)) return single;
  if (type == kFloat)
    if (const std::string_view bytes = content.empty() ? floats : content; bytes.size() == sizeof(float))
      return protocol::get<float>(bytes, 0);
  if (type == kDouble)
    if (const std::string_view bytes = content.empty() ? doubles : content; bytes.size() == sizeof(double))
      return protocol::get<double>(bytes, 0);
  return std::nullopt;
}

// google.protobuf.Value, of which hyperparameters are numbers, texts and truth values.
std::optional<std::string> textOf(std::string_view value) {
  std::optional<std::string> text;
  visitFields(value, [&](const WireField& field) {
    if (field.is(2, WireField::fixed64)) text = fmt::format("{}", field.real());
    if (field.is(3, WireField::bytes)) text = std::string(field.text);
    if (field.is(4, WireField::varint)) text = field.integer != 0 ? "true" : "false";
  });
  return text;
}

void addHyperparameter(std::string_view entry, Findings& findings) {
  std::string name;
  std::optional<std::string> text;
  visitFields(entry, [&](const WireField& field) {
    if (field.is(1, WireField::bytes)) name = std::string(field.text);
    if (field.is(2, WireField::bytes)) text = textOf(field.text);
  });
  if (text)
    findings.run.hyperparameters[name] = *text;
  else
    findings.leaveOut(say("hyperparameters that are lists or empty"));
}

// HParamsPluginData: what a session began with, and how it ended.
void addSession(std::string_view plugin, Findings& findings) {
  visitFields(plugin, [&](const WireField& field) {
    if (field.is(3, WireField::bytes))
      visitFields(field.text, [&](const WireField& start) {
        if (start.is(1, WireField::bytes)) addHyperparameter(start.text, findings);
        if (start.is(5, WireField::fixed64)) findings.run.started = start.real();
      });
    if (field.is(4, WireField::bytes))
      visitFields(field.text, [&](const WireField& end) {
        if (end.is(1, WireField::varint) && end.integer == 1)
          findings.run.state = protocol::RunState::finished;
        if (end.is(1, WireField::varint) && end.integer == 2) findings.run.state = protocol::RunState::failed;
        if (end.is(2, WireField::fixed64)) findings.run.ended = end.real();
      });
  });
}

struct SummaryValue {
  std::string_view tag, plugin, content;
  std::optional<double> simple;
  std::optional<std::string_view> tensor;
  std::string other;  // what it is in place of a scalar
};

std::optional<SummaryValue> summaryValueIn(std::string_view message) {
  SummaryValue value;
  const bool isWhole = visitFields(message, [&](const WireField& field) {
    if (field.is(1, WireField::bytes)) value.tag = field.text;
    if (field.is(2, WireField::fixed32)) value.simple = field.real();
    if (field.is(4, WireField::bytes)) value.other = say("images");
    if (field.is(5, WireField::bytes)) value.other = say("histograms");
    if (field.is(6, WireField::bytes)) value.other = say("sounds");
    if (field.is(8, WireField::bytes)) value.tensor = field.text;
    if (field.is(9, WireField::bytes))  // metadata
      visitFields(field.text, [&](const WireField& metadata) {
        if (metadata.is(1, WireField::bytes))
          visitFields(metadata.text, [&](const WireField& data) {
            if (data.is(1, WireField::bytes)) value.plugin = data.text;
            if (data.is(2, WireField::bytes)) value.content = data.text;
          });
      });
  });
  return isWhole ? std::optional(value) : std::nullopt;
}

std::string contentOf(std::string_view plugin) {
  if (plugin == "text") return say("texts");
  if (plugin == "images") return say("images");
  if (plugin == "histograms") return say("histograms");
  if (plugin == "audio") return say("sounds");
  return say("tensors that are not one float or double");
}

void addValue(std::string_view message, std::int64_t step, double wall, Findings& findings) {
  const auto value = summaryValueIn(message);
  if (!value) return findings.leaveOut(say("records that are not messages of TensorBoard"));
  if (value->plugin == "hparams") return addSession(value->content, findings);
  if (!value->other.empty()) return findings.leaveOut(value->other);
  const bool mayBeScalar = value->plugin.empty() || value->plugin == "scalars";
  const auto scalar = value->simple                  ? value->simple
                      : value->tensor && mayBeScalar ? scalarOf(*value->tensor)
                                                     : std::nullopt;
  if (!scalar) return findings.leaveOut(contentOf(value->plugin));
  findings.add(value->tag, step, *scalar);
  findings.time(step, wall);
}

void addEvent(std::string_view event, Findings& findings) {
  double wall = 0;
  std::int64_t step = 0;
  std::vector<std::string_view> values;
  const bool isWhole = visitFields(event, [&](const WireField& field) {
    if (field.is(1, WireField::fixed64)) wall = field.real();
    if (field.is(2, WireField::varint)) step = static_cast<std::int64_t>(field.integer);
    if (field.is(5, WireField::bytes))  // summary
      visitFields(field.text, [&](const WireField& value) {
        if (value.is(1, WireField::bytes)) values.push_back(value.text);
      });
  });
  if (!isWhole) return findings.leaveOut(say("records that are not messages of TensorBoard"));
  for (const std::string_view value : values) addValue(value, step, wall, findings);
}

}  // namespace

void EventFileReader::feed(std::string_view bytes, Findings& findings) {
  if (!damage_.empty()) return;
  const std::uint64_t skipped = std::min<std::uint64_t>(toSkip_, bytes.size());
  toSkip_ -= skipped;
  bytes.remove_prefix(skipped);
  waiting_ += bytes;
  std::string_view rest = waiting_;
  while (rest.size() >= kHeading) {
    const auto length = protocol::get<std::uint64_t>(rest, 0);
    if (protocol::get<std::uint32_t>(rest, 8) != protocol::masked_crc32c(rest.substr(0, 8)) ||
        length > kLongestData) {
      damage_ = position_ == 0 ? say("it is not an event file of TensorBoard")
                               : say("damaged at byte {}, and not read from there on", position_);
      waiting_.clear();
      return;
    }
    const std::uint64_t whole = kHeading + length + kTrailer;
    if (length > kLongestScalars) {
      findings.leaveOut(say("records of over 16 MiB"));
      toSkip_ = whole - std::min<std::uint64_t>(whole, rest.size());
    } else if (rest.size() < whole) {
      break;
    } else if (const std::string_view event = rest.substr(kHeading, length);
               protocol::get<std::uint32_t>(rest, kHeading + length) != protocol::masked_crc32c(event)) {
      findings.leaveOut(say("records with a wrong checksum"));
    } else {
      addEvent(event, findings);
    }
    rest.remove_prefix(std::min<std::uint64_t>(whole, rest.size()));
    position_ += whole;
  }
  waiting_.erase(0, waiting_.size() - rest.size());
}

std::string EventFileReader::trouble() const {
  if (!damage_.empty()) return damage_;
  if (waiting_.empty() && toSkip_ == 0) return {};
  return say("it ends within a record, at byte {}; perhaps it is still being written", position_);
}

}  // namespace batchscope::cli
