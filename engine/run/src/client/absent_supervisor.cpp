// SPDX-License-Identifier: Apache-2.0
//
// A supervisor that lives and does not listen is not a reason to start another.
#include "client/absent_supervisor.h"

#include <fmt/format.h>
#include <filesystem>
#include <optional>

#include "batchscope/protocol/paths.h"
#include "batchscope/storage/catalogue.h"
#include "batchscope/storage/origins.h"

namespace batchscope::run {
namespace {

// 0: none, or it is not known.
std::int64_t supervisor_of(const std::string& id) {
  try {
    const std::filesystem::path file = protocol::catalogue_path();
    if (!std::filesystem::exists(file)) return 0;
    const auto run = storage::Catalogue(file).run(id);
    return run ? run->supervisor_pid : 0;
  } catch (const std::exception&) {
    return 0;  // whoever asks the catalogue next hears of it
  }
}

// Returns the origin of a run that is only followed here.
std::optional<storage::Origin> origin_of(const std::string& id) {
  try {
    const std::filesystem::path file = protocol::catalogue_path();
    const auto origin = std::filesystem::exists(file) ? storage::Origins(file).find(id) : std::nullopt;
    if (origin && origin->followed) return origin;
  } catch (const std::exception&) {
  }
  return std::nullopt;
}

}  // namespace

Error absent_supervisor(const std::string& id) {
  const std::int64_t pid = supervisor_of(id);
  if (const auto origin = pid == 0 ? origin_of(id) : std::nullopt)
    return Error(ErrorKind::conflict, storage::trains_elsewhere(id, *origin));
  if (pid == 0)
    return Error(ErrorKind::not_found,
                 "run " + id + " has no supervisor; resume it with: batchscope resume " + id);
  return Error(
      ErrorKind::io,
      fmt::format("the supervisor of run {}, process {}, does not listen at {}: a supervisor replaces a "
                  "removed socket within seconds; if this one does not, stop the run with: kill -TERM {}",
                  id, pid, protocol::run_paths(id).control_socket.string(), pid));
}

}  // namespace batchscope::run
