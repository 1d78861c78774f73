// SPDX-License-Identifier: Apache-2.0
//
// All that is known of a run, taken out in one piece and put into another catalogue.
#include "batchscope/protocol/paths.h"
#include "catalogue/catalogue_impl.h"

namespace batchscope::storage {

RunRecord Catalogue::record(const std::string& id) {
  const std::optional<Run> found = run(id);
  if (!found) impl_->database.read([&] { impl_->key(id); });  // throws
  require_sound(*found);
  return {*found, generations(id), epochs(id), events(id), ledger(id), model(id)};
}

void Catalogue::add_record(const RunRecord& record) {
  const Run& run = record.run;
  if (!protocol::valid_run_id(run.id))
    throw Error(ErrorKind::usage, "'" + run.id + "' cannot be the id of a run");
  if (is_active(run.state) || run.state == RunState::pending || run.state == RunState::damaged)
    throw Error(ErrorKind::usage, "run " + run.id + " cannot be added: it is " + run_state_name(run.state));
  Database& database = impl_->database;
  // The parts are written by calls of their own; the run appears with the last of them.
  database.write([&] {
    Run unfinished = run;
    unfinished.removed = now();
    if (!add_run(database, unfinished))
      throw Error(ErrorKind::conflict, "there is a run " + run.id + " already");
    const std::int64_t key = impl_->key(run.id);
    put_latest(database, key, run.latest);
    for (const Event& event : record.events) storage::add_event(database, key, event);
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
