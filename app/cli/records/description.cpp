// SPDX-License-Identifier: Apache-2.0
#include "records/description.h"

#include <algorithm>
#include <array>

#include "batchscope/protocol/error.h"
#include "records/record_line.h"
#include "records/run_record_json.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using protocol::Json;

constexpr const char* kLists[] = {"generations", "epochs", "events", "leases"};
constexpr const char* kWholes[] = {"run", "hyperparameters", "model", "checkpoints"};
constexpr char kLedger[] = "ledger", kLedgerFrom[] = "ledger_from";

// Returns the key by which a row replaces an earlier one. An event's id is a cursor of its store.
std::string keyOf(const std::string& list, Json row) {
  if (list == "generations") return row.value("number", Json()).dump();
  if (list == "epochs")
    return row.value("generation", Json()).dump() + "/" + row.value("number", Json()).dump();
  if (list == "leases") return row.value("device", Json()).dump() + "/" + row.value("since", Json()).dump();
  row.erase("id");
  return recordText(row);
}

const Json& rowsOf(const Json& json, const char* list) {
  static const Json kNone = Json::array();
  const auto found = json.find(list);
  return found == json.end() || !found->is_array() ? kNone : *found;
}

std::size_t ledgerFrom(const Json& line) {
  const auto from = line.find(kLedgerFrom);
  if (from == line.end()) return 0;
  if (!from->is_number_unsigned()) throw Error(ErrorKind::corrupt, say("ledger_from is not a whole number"));
  return *from;
}

}  // namespace

void Description::hear(const Json& line) {
  recordFrom(line);  // what it refuses leaves no trace here
  if (whole_.is_null())
    whole_ = {
        {"format", storage::kRecordFormat}, {"version", storage::kRecordVersion}, {kLedger, Json::array()}};
  for (const char* list : kLists) {
    Json& rows = whole_.emplace(list, Json::array()).first.value();
    for (const Json& row : rowsOf(line, list)) {
      const auto [place, isNew] = places_[list].try_emplace(keyOf(list, row), rows.size());
      if (isNew)
        rows.push_back(row);
      else
        rows[place->second] = row;
    }
  }
  if (line.contains(kLedger)) {
    Json& ledger = whole_[kLedger];
    const std::size_t from = std::min(ledgerFrom(line), ledger.size());
    ledger.erase(ledger.begin() + static_cast<std::ptrdiff_t>(from), ledger.end());
    for (const Json& stretch : rowsOf(line, kLedger)) ledger.push_back(stretch);
  }
  for (const char* name : kWholes)
    if (const auto found = line.find(name); found != line.end()) whole_[name] = *found;
}

std::optional<Json> Description::news(const Json& now) const {
  if (whole_.is_null()) return now;
  Json line = {
      {"format", storage::kRecordFormat}, {"version", storage::kRecordVersion}, {"run", now.at("run")}};
  bool isNews = false;
  for (const char* name : kWholes)
    if (now.at(name) != whole_.value(name, Json())) {
      line[name] = now.at(name);
      isNews = true;
    }
  for (const char* list : kLists) {
    const Json& known = rowsOf(whole_, list);
    const auto places = places_.find(list);
    for (const Json& row : rowsOf(now, list)) {
      const std::string key = keyOf(list, row);
      if (places != places_.end())
        if (const auto place = places->second.find(key);
            place != places->second.end() &&
            (std::string_view(list) == "events" || known[place->second] == row))
          continue;
      line[list].push_back(row);
      isNews = true;
    }
  }
  const Json &before = rowsOf(whole_, kLedger), &ledger = rowsOf(now, kLedger);
  const auto [differs, from] = std::mismatch(before.begin(), before.end(), ledger.begin(), ledger.end());
  if (differs != before.end() || from != ledger.end()) {
    line[kLedgerFrom] = static_cast<std::size_t>(from - ledger.begin());
    line[kLedger] = Json(Json::array_t(from, ledger.end()));
    isNews = true;
  }
  return isNews ? std::optional(std::move(line)) : std::nullopt;
}

storage::RecordPart recordPart(const Json& line) {
  storage::RecordPart part;
  part.record = recordFrom(line);
  part.record.run.state = protocol::parse_run_state(line.at("run").at("state"));
  if (line.contains(kLedger)) part.ledger_from = static_cast<std::int64_t>(ledgerFrom(line));
  if (line.contains("checkpoints")) part.checkpoints = storage::checkpoints_from(line);
  part.leases = storage::leases_from(line);
  return part;
}

}  // namespace batchscope::cli
