// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>

#include "batchscope/run/client.h"
#include "batchscope/run/pool.h"
#include "batchscope/storage/medium.h"
#include "batchscope/storage/sweeps.h"
#include "batchscope/sweep/driver.h"
#include "doctor/doctor.h"
#include "records/run_folders.h"
#include "records/store.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using Level = Finding::Level;
namespace fs = std::filesystem;

constexpr std::uintmax_t kScarceDisk = 500'000'000;
constexpr std::uintmax_t kLittleDisk = 5'000'000'000;
constexpr std::uintmax_t kLittleSharedMemory = 256'000'000;

// SQLite's user_version: four bytes, big-endian, at offset 60 of the file
// (https://sqlite.org/fileformat.html).
std::optional<std::uint32_t> schemaVersion(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::array<unsigned char, 4> bytes{};
  in.seekg(60);
  if (!in.read(reinterpret_cast<char*>(bytes.data()), bytes.size())) return std::nullopt;
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 |
         bytes[3];
}

fs::path runtimeRoot() { return protocol::run_paths("00000000").runtime.parent_path(); }

// The nearest ancestor that exists: where a directory would be made.
fs::path existing(fs::path path) {
  std::error_code fault;
  while (!fs::exists(path, fault) && path.has_relative_path()) path = path.parent_path();
  return path;
}

Finding examineCatalogue(const fs::path& file) {
  std::error_code missing;
  if (!fs::exists(file) || fs::file_size(file, missing) == 0) {
    const auto runs = storage::run_folders(file).size();
    if (runs > 0)
      return {Level::warning, word("store"),
              say("{} is missing or empty, but the folders of {} are beside it", file.string(),
                  plural(runs, "run")),
              say("batchscope ls   (makes a new catalogue from them)")};
    return {Level::ok, word("store"), say("none yet; the first run makes {}", file.string())};
  }
  try {
    const std::size_t runs = storage::Catalogue(file).runs().size();
    std::error_code fault;
    return {Level::ok, word("store"),
            say("{}, version {}, {}, {}", file.string(), schemaVersion(file).value_or(0), plural(runs, "run"),
                formatBytes(fs::file_size(file, fault)))};
  } catch (const Error& error) {
    const std::string remedy =
        error.kind() == ErrorKind::version
            ? say("install the BatchScope that wrote it, or set BATCHSCOPE_DB to another file")
            : say("put a backup in its place; or move it aside, then batchscope ls makes a new "
                  "catalogue from the runs' folders");
    return {Level::problem, word("store"), error.what(), remedy};
  }
}

// Finds runs with a row that cannot be read, and runs that have lost their records.
std::vector<Finding> findDamagedAndLost(storage::Catalogue& catalogue) {
  std::vector<Finding> findings;
  std::vector<storage::Run> runs = catalogue.runs();
  for (storage::Run& run : catalogue.trash()) runs.push_back(std::move(run));
  for (const storage::Run& run : runs) {
    const std::string remedy = say("put back a backup, or batchscope rm --purge {}", printable(run.id));
    if (run.state == protocol::RunState::damaged)
      findings.push_back({Level::problem, word("damaged"),
                          fmt::format("{}: {}", title(run), printable(run.message)), remedy});
    if (run.step == 0 || !protocol::valid_run_id(run.id)) continue;
    const protocol::RunPaths paths = protocol::run_paths(run.id);
    if (fs::exists(paths.samples)) continue;
    const std::string what =
        fs::exists(paths.root)
            ? say("its series, {}, are gone", paths.samples.string())
            : say("its folder {} is gone, with its series, logs and checkpoints", paths.root.string());
    findings.push_back({Level::problem, word("lost"), fmt::format("{}: {}", title(run), what), remedy});
  }
  return findings;
}

std::vector<Finding> findUnlisted(storage::Catalogue& catalogue) {
  const std::vector<std::string> ids = unlistedRuns(catalogue);
  if (ids.empty()) return {};
  return {{Level::warning, word("unlisted"),
           say("{} that the catalogue does not list, such as {}", plural(ids.size(), "run folder"),
               protocol::run_paths(ids.front()).root.string()),
           "batchscope adopt"}};
}

Finding examineRuntimeDirectory(const fs::path& directory) {
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0)
    return {Level::ok, word("sockets"), say("none yet; the first run makes {}", directory.string())};
  if (status.st_uid != ::getuid())
    return {Level::problem, word("sockets"), say("{} belongs to another user", directory.string()),
            say("set XDG_STATE_HOME to a directory of your own")};
  if ((status.st_mode & 0777) != 0700)
    return {Level::problem, word("sockets"), say("{} is open to others", directory.string()),
            fmt::format("chmod 700 {}", directory.string())};
  return {Level::ok, word("sockets"), directory.string()};
}

// Finds sockets of runs that have lost their supervisors. Runs of all stores have their sockets in this
// folder, so a run that this catalogue does not list may be alive.
std::vector<Finding> findLeftovers(storage::Catalogue& catalogue) {
  std::vector<Finding> findings;
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(runtimeRoot(), fault)) {
    const std::string id = entry.path().filename();
    if (!protocol::valid_run_id(id) || !fs::exists(protocol::run_paths(id).control_socket)) continue;
    const auto run = catalogue.run(id);
    if ((!run || !protocol::is_active(run->state)) && !run::is_supervised(id))
      findings.push_back({Level::warning, word("leftover"),
                          say("{} belongs to a run that has ended", entry.path().string()),
                          fmt::format("rm -r {}", entry.path().string())});
  }
  return findings;
}

// Finds runs that wait without a pool to start them. The next submit, or a run that trains, starts a pool; on
// a store at rest nothing does.
std::vector<Finding> findQueueWithoutPool(storage::Catalogue& catalogue) {
  if (const std::string hang = run::kPool.hang(); !hang.empty())
    return {{Level::warning, word("pool"), hang, "batchscope pool"}};
  if (run::kPool.alive()) return {{Level::ok, word("pool"), say("at work")}};
  if (!catalogue.pool_needed()) return {};
  const fs::path log = protocol::catalogue_path().parent_path() / "pool.log";
  return {
      {Level::warning, word("pool"),
       fs::exists(log)
           ? say("runs wait, but no pool is running to start them; its last messages are in {}", log.string())
           : say("runs wait, but no pool is running to start them"),
       "batchscope pool --resume"}};
}

// Finds sweeps without the process that begins their trials.
std::vector<Finding> findSweepsWithoutDriver(storage::Catalogue& catalogue) {
  std::vector<Finding> findings;
  const bool alive = sweep::kDriver.alive();
  for (const storage::Sweep& one : storage::Sweeps(catalogue).all())
    if (one.state == storage::SweepState::running && !alive)
      findings.push_back({Level::warning, word("sweep"),
                          say("'{}' is under way, but no process is running to begin its trials", one.name),
                          fmt::format("batchscope sweep resume '{}'", one.name)});
  return findings;
}

Finding examineMedium(const fs::path& directory) {
  const std::string warning = storage::network_warning(directory);
  if (warning.empty()) return {Level::ok, word("medium"), say("{} is local", directory.string())};
  return {Level::warning, word("medium"), warning, "export BATCHSCOPE_DB=/a/local/disk/runs.db"};
}

Finding examineDisk(const fs::path& directory) {
  std::error_code fault;
  const fs::space_info space = fs::space(existing(directory), fault);
  if (fault)
    return {Level::problem, word("disk"), fmt::format("{}: {}", directory.string(), fault.message()),
            say("mount or free it")};
  const std::string text = say("{} free for {}", formatBytes(space.available), directory.string());
  const std::string remedy =
      say("`batchscope ls` and `batchscope rm` old runs, or set XDG_DATA_HOME to a larger disk");
  if (space.available < kScarceDisk) return {Level::problem, word("disk"), text, remedy};
  if (space.available < kLittleDisk) return {Level::warning, word("disk"), text, remedy};
  return {Level::ok, word("disk"), text};
}

Finding examineSharedMemory() {
  std::error_code fault;
  const fs::space_info space = fs::space("/dev/shm", fault);
  if (fault) return {Level::warning, "/dev/shm", fault.message(), "mount -t tmpfs tmpfs /dev/shm"};
  const std::string text = say("{} free for quick checkpoints", formatBytes(space.available));
  if (space.available < kLittleSharedMemory)
    return {Level::warning, "/dev/shm", text, "mount -o remount,size=1G /dev/shm (docker: --shm-size=1g)"};
  return {Level::ok, "/dev/shm", text};
}

}  // namespace

std::vector<Finding> examineStore() {
  const fs::path catalogue = protocol::catalogue_path(), runtime = runtimeRoot();
  std::vector<Finding> findings{examineCatalogue(catalogue), examineRuntimeDirectory(runtime)};
  if (findings.front().level == Level::ok && fs::exists(catalogue)) {
    storage::Catalogue opened(catalogue);
    for (const auto find :
         {findDamagedAndLost, findUnlisted, findLeftovers, findQueueWithoutPool, findSweepsWithoutDriver})
      for (Finding& finding : find(opened)) findings.push_back(std::move(finding));
  }
  for (Finding& finding : examineRights()) findings.push_back(std::move(finding));
  findings.push_back(examineMedium(catalogue.parent_path()));
  findings.push_back(examineDisk(catalogue.parent_path()));
  findings.push_back(examineSharedMemory());
  return findings;
}

}  // namespace batchscope::cli
