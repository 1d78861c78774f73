// SPDX-License-Identifier: Apache-2.0
//
// The pool's settings, its nodes and its decisions: JSON in a column each, as protocol/pool.h has it.
#include "batchscope/protocol/pool.h"
#include "catalogue/catalogue_impl.h"
#include "database/checked_row.h"
#include "database/json_text.h"

namespace batchscope::storage {
namespace {

using protocol::Json;

constexpr std::int64_t kDecisionsKept = 1000;

template <class Value>
Value value_of(Database& database, const std::string& text, const char* what) {
  try {
    return protocol::parse_object(text).get<Value>();
  } catch (const std::exception& fault) {
    throw Error(ErrorKind::corrupt,
                database.file().string() + ": " + what + " cannot be read: " + protocol::fault_text(fault));
  }
}

protocol::PoolSettings settings_in(Database& database) {
  Query row = database.query("SELECT settings FROM pool");
  return row.next() ? value_of<protocol::PoolSettings>(database, row.text(0), "the pool's settings")
                    : protocol::PoolSettings{};
}

protocol::PoolDecision decision_in(Database& database, const Query& row) {
  auto decision = value_of<protocol::PoolDecision>(database, row.text(1), "a decision of the pool");
  decision.id = row.integer(0);
  return decision;
}

}  // namespace

protocol::PoolSettings Catalogue::pool_settings() {
  Database& database = impl_->database;
  return database.read([&] { return settings_in(database); });
}

void Catalogue::change_pool_settings(const std::function<void(protocol::PoolSettings&)>& change) {
  Database& database = impl_->database;
  database.write([&] {
    protocol::PoolSettings settings = settings_in(database);
    change(settings);
    settings.check();
    database.execute("INSERT OR REPLACE INTO pool (id, settings) VALUES (1, ?)", text_of(settings));
  });
}

std::vector<protocol::PoolNode> Catalogue::pool_nodes() {
  Database& database = impl_->database;
  return database.read([&] {
    std::vector<protocol::PoolNode> nodes;
    Query row = database.query("SELECT message FROM pool_node ORDER BY name");
    while (row.next()) nodes.push_back(value_of<protocol::PoolNode>(database, row.text(0), "a node"));
    return nodes;
  });
}

void Catalogue::put_pool_nodes(const std::vector<protocol::PoolNode>& nodes) {
  Database& database = impl_->database;
  database.write([&] {
    database.execute("DELETE FROM pool_node");
    for (const protocol::PoolNode& node : nodes)
      database.execute("INSERT INTO pool_node (name, message) VALUES (?, ?)", node.name, text_of(node));
  });
}

void Catalogue::add_decision(const protocol::PoolDecision& decision) {
  Database& database = impl_->database;
  database.write([&] {
    database.execute("INSERT INTO decision (time, message) VALUES (?, ?)", decision.time, text_of(decision));
    database.execute("DELETE FROM decision WHERE id <= (SELECT max(id) FROM decision) - ?", kDecisionsKept);
  });
}

std::vector<protocol::PoolDecision> Catalogue::decisions(std::int64_t after) {
  Database& database = impl_->database;
  return database.read([&] {
    std::vector<protocol::PoolDecision> list;
    Query row = database.query("SELECT id, message FROM decision WHERE id > ? ORDER BY id", after);
    while (row.next()) add_if_sound([&] { list.push_back(decision_in(database, row)); });
    return list;
  });
}

std::optional<protocol::PoolDecision> Catalogue::last_decision() {
  Database& database = impl_->database;
  return database.read([&]() -> std::optional<protocol::PoolDecision> {
    std::optional<protocol::PoolDecision> newest;
    Query row = database.query("SELECT id, message FROM decision ORDER BY id DESC");
    while (!newest && row.next()) add_if_sound([&] { newest = decision_in(database, row); });
    return newest;
  });
}

}  // namespace batchscope::storage
