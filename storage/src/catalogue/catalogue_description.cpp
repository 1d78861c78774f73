// SPDX-License-Identifier: Apache-2.0
//
// The description of a run: hyperparameters, and the newest goodput model, kept as the message it came in.
#include "catalogue/catalogue_impl.h"

namespace batchscope::storage {

void put_hyperparameters(Database& database, std::int64_t key,
                         const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values)
    database.execute("INSERT OR REPLACE INTO hyperparameter (run, name, value) VALUES (?, ?, ?)", key, name,
                     value);
}

void put_model(Database& database, std::int64_t key, int generation, const protocol::Model& model) {
  database.execute("INSERT OR REPLACE INTO model (run, generation, message) VALUES (?, ?, ?)", key,
                   generation, protocol::encode(model));
}

void Catalogue::put_hyperparameters(const std::string& id, const std::map<std::string, std::string>& values) {
  Database& database = impl_->database;
  database.write([&] { storage::put_hyperparameters(database, impl_->key(id), values); });
}

std::map<std::string, std::string> Catalogue::hyperparameters(const std::string& id) {
  Database& database = impl_->database;
  return database.read([&] {
    std::map<std::string, std::string> values;
    Query row = database.query("SELECT name, value FROM hyperparameter WHERE run = ?", impl_->key(id));
    while (row.next()) values[row.text(0)] = row.text(1);
    return values;
  });
}

void Catalogue::put_model(const std::string& id, int generation, const protocol::Model& model) {
  Database& database = impl_->database;
  database.write([&] { storage::put_model(database, impl_->key(id), generation, model); });
}

std::optional<protocol::Model> Catalogue::model(const std::string& id) {
  Database& database = impl_->database;
  return impl_->read_of(id, "goodput model", [&](std::int64_t key) -> std::optional<protocol::Model> {
    Query row = database.query("SELECT message FROM model WHERE run = ?", key);
    if (!row.next()) return std::nullopt;
    try {
      const protocol::Message message = protocol::decode(row.text(0));
      if (const auto* model = std::get_if<protocol::Model>(&message)) return *model;
    } catch (const Error& error) {
      throw Error(ErrorKind::corrupt, error.what());
    }
    throw Error(ErrorKind::corrupt, "the message is not a model");
  });
}

}  // namespace batchscope::storage
