// SPDX-License-Identifier: Apache-2.0
/// \file
/// The catalogue's records as JSON, the same in `ls`, `show`, in reports and in what `batchscope serve`
/// answers. Times are seconds since 1970, pauses and their parts seconds; an unknown pause is null.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "batchscope/protocol/json.h"
#include "batchscope/storage/origins.h"
#include "batchscope/storage/record_fields.h"

namespace batchscope::common {

/// A field of a record: null where it is not yet, or not known.
template <class Member>
protocol::Json fieldJson(const Member& member, storage::Meaning meaning) {
  if constexpr (std::is_same_v<Member, double>) {
    if (meaning == storage::Meaning::later_time && !(member > 0)) return nullptr;
    if (meaning == storage::Meaning::amount && !(member >= 0)) return nullptr;
  }
  return member;
}

/// A record as an object of its fields.
template <class Record>
protocol::Json fieldsJson(const Record& record) {
  protocol::Json json = protocol::Json::object();
  storage::visit_fields(record, [&](const char* name, const auto& member, storage::Meaning meaning) {
    json[name] = fieldJson(member, meaning);
  });
  return json;
}

/// A list of them.
template <class Record>
protocol::Json recordsJson(const std::vector<Record>& records) {
  protocol::Json list = protocol::Json::array();
  for (const Record& record : records) list.push_back(fieldsJson(record));
  return list;
}

/// Returns the run's fields, and what has a form of its own.
protocol::Json runJson(const storage::Run& run);

/// Returns the variables that the supervisor added to its own environment for the newest generation, as an
/// object of strings; null before there was one.
protocol::Json environmentJson(const std::string& run);

/// Everything about a run but its ledger: run, generations, epochs, checkpoints, events (the newest `events`
/// of them), hyperparameters, goodput, environment, origin. Throws Error as the catalogue does.
protocol::Json runDetailsJson(storage::Catalogue& catalogue, const storage::Run& run,
                              std::size_t events = SIZE_MAX);

/// Where a run was taken from, and the job that trains it there.
protocol::Json originJson(const storage::Origin& origin);

/// {"loss":0.12,..}, with the strings of protocol/json.h for what is not finite.
protocol::Json valuesJson(const std::map<std::string, double>& values);

}  // namespace batchscope::common
