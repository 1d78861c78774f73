// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/own_snapshot.h"

#include <fstream>

#include "batchscope/protocol/json.h"

namespace batchscope::run {

std::optional<OwnSnapshot> own_snapshot(const std::filesystem::path& share) try {
  std::ifstream file(share / "batchscope-snapshot.json");
  if (!file) return std::nullopt;
  const auto noted = protocol::Json::parse(file);
  OwnSnapshot snapshot{noted.at("path").get<std::string>(), noted.at("step").get<std::int64_t>()};
  std::error_code error;
  if (!snapshot.file.is_absolute() || snapshot.step < 0 || !std::filesystem::exists(snapshot.file, error))
    return std::nullopt;
  return snapshot;
} catch (const protocol::Json::exception&) {
  return std::nullopt;
}

}  // namespace batchscope::run
