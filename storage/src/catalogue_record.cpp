// SPDX-License-Identifier: Apache-2.0
//
// All that is known of a run, taken out in one piece and put into another catalogue.
#include "batchscope/protocol/json.h"
#include "batchscope/protocol/paths.h"
#include "catalogue_impl.h"

namespace batchscope::storage {

RunRecord Catalogue::record(const std::string& id) {
  const std::optional<Run> found = run(id);
  if (!found) impl_->database.read([&] { impl_->key(id); });  // throws
  return {*found, generations(id), epochs(id), events(id), ledger(id), model(id)};
}

void Catalogue::add_record(const RunRecord& record) {
  const Run& run = record.run;
  if (!protocol::valid_run_id(run.id))
    throw Error(ErrorKind::usage, "'" + run.id + "' cannot be the id of a run");
  if (is_active(run.state))
    throw Error(ErrorKind::usage, "run " + run.id + " cannot be added while it is active");
  Database& database = impl_->database;
  // The parts are written by calls of their own; the run appears with the last of them.
  database.write([&] {
    Query row = database.query("SELECT 1 FROM run WHERE id = ?", run.id);
    if (row.next()) throw Error(ErrorKind::conflict, "there is a run " + run.id + " already");
    database.execute(
        "INSERT INTO run (id, name, spec, state, message, created, ended, step, epoch, epochs, fraction, "
        "note, removed)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        run.id, run.name,
        protocol::Json(run.spec).dump(-1, ' ', false, protocol::Json::error_handler_t::replace),
        run_state_name(run.state), run.message, run.created, run.ended, run.step, run.epoch, run.epochs,
        run.fraction, run.note, now());
    const std::int64_t key = impl_->key(run.id);
    for (const auto& [series, value] : run.latest)
      database.execute("INSERT INTO latest (run, series, value) VALUES (?, ?, ?)", key, series, value);
    for (const Event& event : record.events)
      database.execute(
          "INSERT INTO event (run, time, generation, step, level, text) VALUES (?, ?, ?, ?, ?, ?)", key,
          event.time, event.generation, event.step, event.level, event.text);
  });
  set_tags(run.id, run.tags);
  put_hyperparameters(run.id, run.hyperparameters);
  for (const Generation& generation : record.generations) put_generation(run.id, generation);
  for (const Epoch& epoch : record.epochs) put_epoch(run.id, epoch);
  for (const Ledger& ledger : record.ledger) add_ledger(run.id, ledger.generation, ledger.entry);
  if (record.model)
    put_model(run.id, record.generations.empty() ? 0 : record.generations.back().number, *record.model);
  restore(run.id);
}

}  // namespace batchscope::storage
