// SPDX-License-Identifier: Apache-2.0
//
// The trash: a removed run keeps its rows and its folder, with the time of its removal, until it is restored
// or purged. Neither may happen to a run that a supervisor holds.
#include "batchscope/storage/trash.h"

#include <algorithm>

#include "batchscope/protocol/paths.h"
#include "catalogue/catalogue_impl.h"

namespace batchscope::storage {

void Catalogue::move_to_trash(const std::string& id) { move_to_trash(std::vector{id}); }

void Catalogue::move_to_trash(const std::vector<std::string>& ids) {
  Database& database = impl_->database;
  database.write([&] {
    for (const std::string& id : ids) {
      const std::int64_t key = impl_->key(id);
      impl_->refuse_while_supervised(id, key);
      database.execute("UPDATE run SET removed = ? WHERE key = ? AND removed = 0", now(), key);
    }
  });
  for (const std::string& id : ids) impl_->keep_record(*this, id);
}

void Catalogue::restore(const std::string& id) { restore(std::vector{id}); }

void Catalogue::restore(const std::vector<std::string>& ids) {
  Database& database = impl_->database;
  database.write([&] {
    for (const std::string& id : ids)
      database.execute("UPDATE run SET removed = 0 WHERE key = ?", impl_->key(id));
  });
  for (const std::string& id : ids) impl_->keep_record(*this, id);
}

void Catalogue::remove_run(const std::string& id) {
  Database& database = impl_->database;
  database.write([&] {
    const std::int64_t key = impl_->key(id);
    impl_->refuse_while_supervised(id, key);
    database.execute("DELETE FROM run WHERE key = ?", key);
  });
}

void remove_folder(const std::filesystem::path& folder) {
  std::error_code fault;
  std::filesystem::remove_all(folder, fault);
  if (fault)
    throw Error(ErrorKind::io, "the folder " + folder.string() + " cannot be removed: " + fault.message() +
                                   "; `batchscope gc` tries again");
}

void purge_run(Catalogue& catalogue, const std::string& id) {
  if (!protocol::valid_run_id(id)) return catalogue.remove_run(id);  // a damaged row's, which has no folder
  const protocol::RunPaths paths = protocol::run_paths(id);
  const std::filesystem::path doomed = paths.root.string() + ".purged";
  catalogue.move_to_trash(id);  // where no supervisor takes it
  remove_folder(doomed);        // that an interruption has left
  std::error_code fault;
  std::filesystem::rename(paths.root, doomed, fault);
  if (fault && fault != std::errc::no_such_file_or_directory)
    throw Error(ErrorKind::io, "run " + id + " stays in the trash: its folder " + paths.root.string() +
                                   " cannot be renamed: " + fault.message());
  try {
    catalogue.remove_run(id);
  } catch (const Error&) {
    std::filesystem::rename(doomed, paths.root, fault);
    throw;
  }
  remove_folder(doomed);
  remove_folder(paths.runtime);
}

void purge_removed(Catalogue& catalogue, const std::string& id) {
  const std::vector<Run> all = catalogue.trash();
  if (std::none_of(all.begin(), all.end(), [&](const Run& run) { return run.id == id; }))
    throw Error(ErrorKind::conflict, "run " + id + " was restored from the trash meanwhile, and stays");
  purge_run(catalogue, id);
}

}  // namespace batchscope::storage
