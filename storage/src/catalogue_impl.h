// SPDX-License-Identifier: Apache-2.0
//
// What the parts of Catalogue share.
#pragma once

#include <string>
#include <string_view>

#include "batchscope/protocol/error.h"
#include "batchscope/storage/catalogue.h"
#include "catalogue_schema.h"
#include "database.h"

namespace batchscope::storage {

struct Catalogue::Impl {
  explicit Impl(const std::filesystem::path& file) : database(file, catalogue_schema(), Access::write) {}

  // Within a transaction. Throws Error(not_found).
  std::int64_t key(const std::string& id) {
    Query row = database.query("SELECT key FROM run WHERE id = ?", id);
    if (!row.next())
      throw Error(ErrorKind::not_found,
                  "there is no run '" + id + "' in " + database.file().string() + ": see batchscope ls");
    return row.integer(0);
  }

  // Changes one run in one transaction.
  template <class... Values>
  void update(const std::string& id, std::string_view sql, const Values&... values) {
    database.write([&] { database.execute(sql, values..., key(id)); });
  }

  // Within a transaction. Throws Error(conflict) while a living process has the claim.
  void refuse_while_supervised(const std::string& id, std::int64_t key);

  Database database;
};

// Lists the runs whose folders lie beside a new catalogue.
void adopt_run_folders(Catalogue& catalogue, Database& database);

// Of this run, by their names; within a transaction.
std::vector<std::string> leased_devices(Database& database, std::int64_t key);

}  // namespace batchscope::storage
