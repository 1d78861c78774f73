// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fields of each record of a run. visit_fields(record, visit) calls visit(name, member, meaning) for
/// each of its fields; the record may be const. The catalogue's columns, the JSON that programs print and the
/// files that runs are exported to and imported from have these fields by these names. A field that is added
/// here is in all of them, except the catalogue's table, which needs a migration.
#pragma once

#include <type_traits>

#include "batchscope/storage/catalogue.h"

namespace batchscope::storage {

/// Meaning of a number beyond its type.
enum class Meaning {
  plain,       ///< nothing
  key,         ///< given by the catalogue: not taken from elsewhere
  time,        ///< s since 1970
  later_time,  ///< as time; 0: not yet
  amount,      ///< negative: unknown
};

/// Returns whether the number stands for a moment.
constexpr bool is_time(Meaning meaning) { return meaning == Meaning::time || meaning == Meaning::later_time; }

/// Returns a time, s since 1970, as it is, and 0, which is unknown, for a number that is not one: a time lies
/// before the year 5138.
constexpr double known_time(double seconds) { return seconds >= 0 && seconds < 1e11 ? seconds : 0; }

/// One of the records below, const or not.
template <class T, class Record>
concept FieldsOf = std::is_same_v<std::remove_const_t<T>, Record>;

/// Visits all fields except those with a form of their own: state, specification, devices, tags and values by
/// name.
void visit_fields(FieldsOf<Run> auto& run, auto&& visit) {
  visit("id", run.id, Meaning::plain);
  visit("name", run.name, Meaning::plain);
  visit("message", run.message, Meaning::plain);
  visit("created", run.created, Meaning::time);
  visit("ended", run.ended, Meaning::later_time);
  visit("removed", run.removed, Meaning::later_time);
  visit("step", run.step, Meaning::plain);
  visit("epoch", run.epoch, Meaning::plain);
  visit("epochs", run.epochs, Meaning::plain);
  visit("fraction", run.fraction, Meaning::plain);
  visit("note", run.note, Meaning::plain);
}

/// All of it.
void visit_fields(FieldsOf<Generation> auto& generation, auto&& visit) {
  visit("number", generation.number, Meaning::plain);
  visit("replicas", generation.replicas, Meaning::plain);
  visit("reason", generation.reason, Meaning::plain);
  visit("started", generation.started, Meaning::time);
  visit("ended", generation.ended, Meaning::later_time);
  visit("first_step", generation.first_step, Meaning::plain);
  visit("last_step", generation.last_step, Meaning::plain);
  visit("checkpoint", generation.checkpoint, Meaning::plain);
  visit("pause", generation.pause, Meaning::amount);
  visit("pause_parts", generation.pause_parts, Meaning::plain);
  visit("outcome", generation.outcome, Meaning::plain);
  visit("predicted_throughput", generation.predicted_throughput, Meaning::amount);
  visit("predicted_goodput", generation.predicted_goodput, Meaning::amount);
  visit("predicted_error", generation.predicted_error, Meaning::amount);
  visit("obtained_throughput", generation.obtained_throughput, Meaning::amount);
  visit("obtained_goodput", generation.obtained_goodput, Meaning::amount);
}

/// All of it.
void visit_fields(FieldsOf<Epoch> auto& epoch, auto&& visit) {
  visit("number", epoch.number, Meaning::plain);
  visit("generation", epoch.generation, Meaning::plain);
  visit("started", epoch.started, Meaning::time);
  visit("ended", epoch.ended, Meaning::later_time);
  visit("first_step", epoch.first_step, Meaning::plain);
  visit("last_step", epoch.last_step, Meaning::plain);
}

/// All of it.
void visit_fields(FieldsOf<Event> auto& event, auto&& visit) {
  visit("id", event.id, Meaning::key);
  visit("time", event.time, Meaning::time);
  visit("generation", event.generation, Meaning::plain);
  visit("step", event.step, Meaning::plain);
  visit("level", event.level, Meaning::plain);
  visit("text", event.text, Meaning::plain);
}

/// All of it.
void visit_fields(FieldsOf<Checkpoint> auto& checkpoint, auto&& visit) {
  visit("name", checkpoint.name, Meaning::plain);
  visit("generation", checkpoint.generation, Meaning::plain);
  visit("step", checkpoint.step, Meaning::plain);
  visit("epoch", checkpoint.epoch, Meaning::plain);
  visit("progress", checkpoint.progress, Meaning::plain);
  visit("time", checkpoint.time, Meaning::time);
  visit("seconds", checkpoint.seconds, Meaning::plain);
  visit("bytes", checkpoint.bytes, Meaning::plain);
  visit("reason", checkpoint.reason, Meaning::plain);
}

/// Visits a lease's fields, except the run.
void visit_fields(FieldsOf<LeaseEvent> auto& lease, auto&& visit) {
  visit("device", lease.device, Meaning::plain);
  visit("generation", lease.generation, Meaning::plain);
  visit("since", lease.since, Meaning::time);
  visit("until", lease.until, Meaning::later_time);
  visit("why", lease.why, Meaning::plain);
}

/// Visits the fields of its entry, too.
void visit_fields(FieldsOf<Ledger> auto& stretch, auto&& visit) {
  visit("generation", stretch.generation, Meaning::plain);
  protocol::visit_fields(stretch.entry,
                         [&](const char* name, auto& member) { visit(name, member, Meaning::plain); });
}

}  // namespace batchscope::storage
