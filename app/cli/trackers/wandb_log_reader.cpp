// SPDX-License-Identifier: Apache-2.0
#include "trackers/wandb_log_reader.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "text/say.h"
#include "trackers/json_facts.h"
#include "trackers/wire.h"

namespace batchscope::cli {
namespace {

using protocol::Json;

constexpr std::string_view kLogHeading{":W&B\xE1\xBE\0", 7};
constexpr std::uint64_t kBlock = 32'768, kFragmentHeading = 7;
constexpr std::size_t kLongestRecord = 64u << 20;
enum Fragment : char { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

// HistoryItem, ConfigItem, SummaryItem: a key, or the names of nested ones, and JSON.
struct WandbItem {
  std::string name;
  std::string_view json;
};

WandbItem itemIn(std::string_view message) {
  WandbItem item;
  visitFields(message, [&](const WireField& field) {
    if (field.is(1, WireField::bytes)) item.name = field.text;
    if (field.is(2, WireField::bytes)) item.name += (item.name.empty() ? "" : ".") + std::string(field.text);
    if (field.is(16, WireField::bytes)) item.json = field.text;
  });
  return item;
}

// google.protobuf.Timestamp
double timeIn(std::string_view message) {
  double seconds = 0;
  visitFields(message, [&](const WireField& field) {
    if (field.is(1, WireField::varint)) seconds += static_cast<double>(field.integer);
    if (field.is(2, WireField::varint)) seconds += static_cast<double>(field.integer) * 1e-9;
  });
  return seconds;
}

void addHistory(std::string_view message, Findings& findings) {
  std::vector<WandbItem> items;
  std::optional<double> step, wall;
  visitFields(message, [&](const WireField& field) {
    if (field.is(1, WireField::bytes)) items.push_back(itemIn(field.text));
    if (field.is(2, WireField::bytes)) {
      step = 0;  // a field that is 0 is not written
      visitFields(field.text, [&](const WireField& number) {
        if (number.is(1, WireField::varint)) step = static_cast<double>(number.integer);
      });
    }
  });
  for (const WandbItem& item : items) {
    if (item.name != "_step" && item.name != "_timestamp") continue;
    const auto json = jsonIn(item.json);
    const auto number = json ? numberOf(*json) : std::nullopt;
    if (number) (item.name == "_step" ? step : wall) = number;
  }
  if (!step || !(std::abs(*step) < 0x1p62)) return findings.leaveOut(say("rows of history without a step"));
  const auto at = static_cast<std::int64_t>(*step);
  if (wall) findings.time(at, *wall);
  for (const WandbItem& item : items) {
    if (item.name.starts_with('_')) continue;
    const auto json = jsonIn(item.json);
    if (!json || json->contains("_type")) {
      findings.leaveOut(say("images, histograms, tables and other values that are not numbers"));
      continue;
    }
    visitLeaves(item.name, *json, [&](const std::string& name, const Json& leaf) {
      if (const auto value = numberOf(leaf))
        findings.add(name, at, *value);
      else
        findings.leaveOut(say("images, histograms, tables and other values that are not numbers"));
    });
  }
}

void addConfig(std::string_view message, Findings& findings) {
  visitFields(message, [&](const WireField& field) {
    if (!field.is(1, WireField::bytes)) return;
    const WandbItem item = itemIn(field.text);
    if (const auto json = jsonIn(item.json); json && !item.name.starts_with('_'))
      visitLeaves(item.name, *json, [&](const std::string& name, const Json& leaf) {
        findings.run.hyperparameters[name] = leafText(leaf);
      });
  });
}

void addSummary(std::string_view message, Findings& findings) {
  visitFields(message, [&](const WireField& field) {
    if (!field.is(1, WireField::bytes)) return;
    const WandbItem item = itemIn(field.text);
    if (const auto json = jsonIn(item.json); json && !item.name.starts_with('_'))
      visitLeaves(item.name, *json, [&](const std::string& name, const Json& leaf) {
        if (leaf.is_number()) findings.run.summary[name] = leaf.get<double>();
      });
  });
}

void addRun(std::string_view message, Findings& findings) {
  RunFacts& run = findings.run;
  std::string project, group;
  visitFields(message, [&](const WireField& field) {
    if (field.is(3, WireField::bytes)) project = field.text;
    if (field.is(4, WireField::bytes)) addConfig(field.text, findings);
    if (field.is(6, WireField::bytes)) group = field.text;
    if (field.is(8, WireField::bytes)) run.name = field.text;
    if (field.is(9, WireField::bytes)) run.note = field.text;
    if (field.is(10, WireField::bytes)) run.tags.emplace_back(field.text);
    if (field.is(17, WireField::bytes)) run.started = timeIn(field.text);
  });
  run.group = group.empty() ? project : group;
}

void addExit(std::string_view message, Findings& findings) {
  findings.run.state = protocol::RunState::finished;
  visitFields(message, [&](const WireField& field) {
    if (field.is(1, WireField::varint) && field.integer != 0) findings.run.state = protocol::RunState::failed;
  });
}

void addRecord(std::string_view message, Findings& findings) {
  const bool isWhole = visitFields(message, [&](const WireField& field) {
    if (field.type != WireField::bytes) return;
    switch (field.number) {
      case 2: return addHistory(field.text, findings);
      case 3: return addSummary(field.text, findings);
      case 5: return addConfig(field.text, findings);
      case 7: return findings.leaveOut(say("measurements of the machine"));
      case 8: return findings.leaveOut(say("artifacts"));
      case 17: return addRun(field.text, findings);
      case 18: return addExit(field.text, findings);
      default: return;
    }
  });
  if (!isWhole) findings.leaveOut(say("records that are not messages of W&B"));
}

}  // namespace

void WandbLogReader::feed(std::string_view bytes, Findings& findings) {
  if (!damage_.empty()) return;
  waiting_ += bytes;
  std::string_view rest = waiting_;
  if (position_ == 0) {
    if (rest.size() < kLogHeading.size()) return;
    if (!rest.starts_with(kLogHeading)) {
      damage_ = say("it is not a log of W&B, or one of a newer version");
      return waiting_.clear();
    }
    rest.remove_prefix(kLogHeading.size());
    position_ = kLogHeading.size();
  }
  while (const std::size_t count = advance(rest, findings)) {
    rest.remove_prefix(count);
    position_ += count;
  }
  waiting_.erase(0, waiting_.size() - rest.size());
}

std::size_t WandbLogReader::advance(std::string_view rest, Findings& findings) {
  const std::uint64_t left = kBlock - position_ % kBlock;  // in the block
  if (isDamaged_ || left < kFragmentHeading) {             // a block is filled up with zeros
    isDamaged_ = isDamaged_ && rest.size() < left;
    return std::min<std::uint64_t>(left, rest.size());
  }
  if (rest.size() < kFragmentHeading) return 0;
  const std::uint64_t length = protocol::get<std::uint16_t>(rest, 4), whole = kFragmentHeading + length;
  const char kind = rest[6];
  const bool fits = whole <= left && kind >= kFull && kind <= kLast;
  if (fits && rest.size() < whole) return 0;
  const auto* checked = reinterpret_cast<const Bytef*>(rest.data()) + 6;
  if (!fits || crc32(0, checked, static_cast<uInt>(length + 1)) != protocol::get<std::uint32_t>(rest, 0)) {
    findings.leaveOut(say("damaged blocks of the log"));
    isDamaged_ = true;
    isOpen_ = false;
    return advance(rest, findings);
  }
  const bool begins = kind == kFull || kind == kFirst;
  if (begins) record_.clear();
  isOpen_ = (begins || isOpen_) && record_.size() + length <= kLongestRecord;
  if (isOpen_) {
    record_ += rest.substr(kFragmentHeading, length);
    isOpen_ = kind == kFirst || kind == kMiddle;
    if (!isOpen_) addRecord(record_, findings);
  }
  return whole;
}

std::string WandbLogReader::trouble() const {
  if (!damage_.empty()) return damage_;
  if (waiting_.empty() && !isOpen_) return {};
  return say("it ends within a record, after byte {}; perhaps it is still being written", position_);
}

}  // namespace batchscope::cli
