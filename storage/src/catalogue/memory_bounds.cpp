// SPDX-License-Identifier: Apache-2.0
//
// A run's spec holds its bound, whoever has set it: only where one of its generations ran out of memory was
// it found out.
#include "batchscope/storage/memory_bounds.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/run_spec.h"
#include "batchscope/protocol/series.h"
#include "catalogue/catalogue_schema.h"
#include "catalogue/of_this_machine.h"
#include "database/database.h"

namespace batchscope::storage {
namespace {

std::optional<protocol::RunSpec> decoded_spec(const std::string& text) {
  try {
    return protocol::Json::parse(text).get<protocol::RunSpec>();
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::vector<std::string> devices_of(Database& database, std::int64_t key) {
  Query row = database.query("SELECT DISTINCT device FROM lease_event WHERE run = ? ORDER BY device", key);
  std::vector<std::string> devices;
  while (row.next()) devices.push_back(row.text(0));
  return devices;
}

std::int64_t samples(double value) {
  return value >= 1 && value < 1e15 ? static_cast<std::int64_t>(value) : 0;
}

}  // namespace

std::vector<MemoryBound> memory_bounds(const std::filesystem::path& catalogue, const std::string& program) {
  std::error_code missing;
  if (!std::filesystem::exists(catalogue, missing)) return {};
  Database database(catalogue, catalogue_schema(), Access::read);
  static const std::string sql =
      std::string(
          "SELECT run.key, run.id, run.spec, latest.value, EXISTS (SELECT 1 FROM generation WHERE"
          " generation.run = run.key AND generation.outcome LIKE '%, out of memory')"
          " FROM (SELECT key, id, spec FROM run ORDER BY key DESC LIMIT 1000) AS run"
          " LEFT JOIN latest ON latest.run = run.key AND latest.series = ?"
          " WHERE CASE WHEN json_valid(run.spec) THEN json_extract(run.spec, '$.program') END = ? AND") +
      kOfThisMachine + "ORDER BY run.key DESC LIMIT 100";
  return database.read([&] {
    std::vector<MemoryBound> bounds;
    Query row = database.query(sql, std::string(protocol::series::kLocalBatchSize), program);
    while (row.next()) {
      auto spec = decoded_spec(row.text(2));
      if (!spec) continue;
      bounds.push_back({row.text(1), std::move(spec->arguments), std::move(spec->working_directory),
                        devices_of(database, row.integer(0)), row.integer(4) != 0, spec->max_local_batch_size,
                        samples(row.real(3))});
    }
    return bounds;
  });
}

}  // namespace batchscope::storage
