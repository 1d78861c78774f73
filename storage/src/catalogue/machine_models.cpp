// SPDX-License-Identifier: Apache-2.0
//
// Only runs that trained here have leases among the events of leases; those that are followed have origins as
// well.
#include "batchscope/storage/machine_models.h"

#include <optional>
#include <utility>
#include <variant>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "catalogue/catalogue_schema.h"
#include "catalogue/of_this_machine.h"
#include "database/database.h"

namespace batchscope::storage {
namespace {

std::optional<protocol::Model> decoded_model(const std::string& text) {
  try {
    const protocol::Message message = protocol::decode(text);
    if (const auto* model = std::get_if<protocol::Model>(&message)) return *model;
  } catch (const Error&) {
  }
  return std::nullopt;
}

std::string program_in(const std::string& spec) {
  const auto json = protocol::Json::parse(spec, nullptr, false);
  const auto program = json.is_object() ? json.find("program") : json.end();
  return program != json.end() && program->is_string() ? program->get<std::string>() : std::string();
}

std::vector<int> replicas_of(Database& database, std::int64_t key) {
  Query row = database.query(
      "SELECT DISTINCT replicas FROM generation WHERE run = ? AND first_step > 0"
      " AND last_step - first_step >= ? ORDER BY replicas",
      key, std::int64_t{kTellingSteps});
  std::vector<int> replicas;
  while (row.next()) replicas.push_back(static_cast<int>(row.integer(0)));
  return replicas;
}

}  // namespace

std::vector<MachineModel> machine_models(const std::filesystem::path& catalogue, std::size_t most) {
  std::error_code missing;
  if (!std::filesystem::exists(catalogue, missing)) return {};
  Database database(catalogue, catalogue_schema(), Access::read);
  static const std::string sql =
      std::string(
          "SELECT run.key, run.id, run.spec, model.message"
          " FROM (SELECT run, message FROM model ORDER BY run DESC LIMIT ?) AS model"
          " JOIN run ON run.key = model.run WHERE") +
      kOfThisMachine + "ORDER BY run.key DESC";
  return database.read([&] {
    std::vector<MachineModel> models;
    Query row = database.query(sql, static_cast<std::int64_t>(most));
    while (row.next()) {
      auto model = decoded_model(row.text(3));
      if (model)
        models.push_back(
            {row.text(1), program_in(row.text(2)), replicas_of(database, row.integer(0)), std::move(*model)});
    }
    return models;
  });
}

}  // namespace batchscope::storage
