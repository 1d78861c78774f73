// SPDX-License-Identifier: Apache-2.0
//
// The trash: a removed run keeps its rows and its folder, with the time of its removal, until it is restored
// or purged. Neither may happen to a run that a supervisor holds.
#include "catalogue_impl.h"

namespace batchscope::storage {

void Catalogue::move_to_trash(const std::string& id) {
  Database& database = impl_->database;
  database.write([&] {
    const std::int64_t key = impl_->key(id);
    impl_->refuse_while_supervised(id, key);
    database.execute("UPDATE run SET removed = ? WHERE key = ? AND removed = 0", now(), key);
  });
}

void Catalogue::restore(const std::string& id) {
  impl_->update(id, "UPDATE run SET removed = 0 WHERE key = ?");
}

void Catalogue::remove_run(const std::string& id) {
  Database& database = impl_->database;
  database.write([&] {
    const std::int64_t key = impl_->key(id);
    impl_->refuse_while_supervised(id, key);
    database.execute("DELETE FROM run WHERE key = ?", key);
  });
}

}  // namespace batchscope::storage
