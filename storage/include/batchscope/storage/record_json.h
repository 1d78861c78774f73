// SPDX-License-Identifier: Apache-2.0
/// \file
/// Records as JSON: as `show --json` prints them, as export writes and import reads them, and as a run's
/// folder keeps them. Times are seconds since 1970, pauses and their parts seconds; an unknown pause is null.
#pragma once

#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "batchscope/protocol/json.h"
#include "batchscope/storage/record_fields.h"

namespace batchscope::storage {

inline constexpr char kRecordFormat[] = "batchscope-run";  ///< of record_json
inline constexpr int kRecordVersion = 1;                   ///< of it

/// Returns a field of a record: null where it is not there yet, or not known.
template <class Member>
protocol::Json field_json(const Member& member, Meaning meaning) {
  if constexpr (std::is_same_v<Member, double>) {
    if (meaning == Meaning::later_time && !(member > 0)) return nullptr;
    if (meaning == Meaning::amount && !(member >= 0)) return nullptr;
  }
  return member;
}

/// Returns a record as an object of its fields.
template <class Record>
protocol::Json fields_json(const Record& record) {
  protocol::Json json = protocol::Json::object();
  visit_fields(record, [&](const char* name, const auto& member, Meaning meaning) {
    json[name] = field_json(member, meaning);
  });
  return json;
}

/// Returns a list of them.
template <class Record>
protocol::Json records_json(const std::vector<Record>& records) {
  protocol::Json list = protocol::Json::array();
  for (const Record& record : records) list.push_back(fields_json(record));
  return list;
}

/// {"loss":0.12,..}, with the strings of protocol/json.h for what is not finite.
protocol::Json values_json(const std::map<std::string, double>& values);

/// Returns the run's fields, those with a form of their own included.
protocol::Json run_json(const Run& run);

/// Returns all that the catalogue holds of a run.
protocol::Json record_json(const RunRecord& record);

/// Reads what record_json wrote. Nothing in it is trusted, but its state and its spec are taken as they
/// stand. Throws Error(corrupt) naming the field, Error(version) for a newer format.
RunRecord record_from(const protocol::Json& json);

/// Reads what records_json wrote, in an object's member `checkpoints` or `leases`; empty without it. Throws
/// Error(corrupt) naming the field.
///@{
std::vector<Checkpoint> checkpoints_from(const protocol::Json& json);
std::vector<LeaseEvent> leases_from(const protocol::Json& json);
///@}

}  // namespace batchscope::storage
