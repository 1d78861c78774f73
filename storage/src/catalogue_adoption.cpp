// SPDX-License-Identifier: Apache-2.0
//
// Runs that the catalogue does not list, taken in from what lies beside it: each run's folder has its spec,
// run.json, and its series, which know the generations with their times. Events, tags, notes and
// hyperparameters were in the catalogue alone. Looking into the folders may take long and holds no lock; what
// was found is written in one transaction, which for a new catalogue is the one that makes its tables: nobody
// ever sees half of it, and whoever opens it meanwhile waits for all of it.
#include <sys/stat.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <fstream>
#include <iterator>

#include "batchscope/protocol/json.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/private_files.h"
#include "batchscope/protocol/series.h"
#include "batchscope/storage/origins.h"
#include "batchscope/storage/record_fields.h"
#include "batchscope/storage/samples.h"
#include "catalogue_impl.h"

namespace batchscope::storage {
namespace {

namespace fs = std::filesystem;
namespace series = protocol::series;

fs::path folder_of_runs(const fs::path& catalogue) { return fs::absolute(catalogue).parent_path() / "runs"; }

protocol::RunSpec kept_spec(const fs::path& folder) {
  std::ifstream in(folder / kSpecFile);
  try {
    return protocol::parse_object(std::string(std::istreambuf_iterator<char>(in), {}))
        .get<protocol::RunSpec>();
  } catch (const std::exception&) {
    return {};  // an older run's, or damaged: it can be looked at
  }
}

double modified(const fs::path& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? static_cast<double>(info.st_mtim.tv_sec) : 0;
}

// A series can hold anything, a row of the catalogue cannot: 0 in place of what is not a number of things.
int as_count(double value) { return value > 0 && value < INT_MAX ? static_cast<int>(value) : 0; }

// The first and the last sample of a series, without reading those between.
struct Ends {
  Sample first, last;
};

std::optional<Ends> ends_of(SampleReader& reader, std::string_view name, int generation) {
  const auto buckets = reader.summarize(name, generation, 0, INT64_MAX, 1);
  if (buckets.empty()) return std::nullopt;
  const std::int64_t first = buckets.front().first_step, last = buckets.back().last_step;
  return Ends{reader.read(name, generation, first, first).front(),
              reader.read(name, generation, last, last).back()};
}

// What the series say of the run.
struct Account {
  std::vector<Generation> generations;
  std::map<std::string, double> latest;
  std::int64_t step = 0;
};

Account account_of(SampleReader& reader) {
  Account account;
  for (const int number : reader.generations(series::kTime)) {
    const auto times = ends_of(reader, series::kTime, number);
    if (!times) continue;
    Generation& generation = account.generations.emplace_back();
    generation.number = number;
    generation.reason = number == 0 ? "start" : "resume";
    generation.started = known_time(times->first.value);
    generation.ended = known_time(times->last.value);
    generation.first_step = times->first.step;
    generation.last_step = account.step = times->last.step;
    const auto replicas = ends_of(reader, series::kReplicas, number);
    generation.replicas = replicas ? as_count(replicas->last.value) : 1;
  }
  for (const SeriesInfo& info : reader.series())
    if (const auto generations = reader.generations(info.name); !generations.empty())
      if (const auto ends = ends_of(reader, info.name, generations.back()))
        account.latest[info.name] = ends->last.value;
  return account;
}

struct Found {
  std::string id;
  protocol::RunSpec spec;
  Account account;
  double modified = 0;
};

Found look_into(const fs::path& folder) {
  Found found{folder.filename().string(), kept_spec(folder), {}, modified(folder)};
  if (found.spec.name.empty()) found.spec.name = found.id;
  try {
    SampleReader reader(folder / "samples.db");
    found.account = account_of(reader);
  } catch (const std::exception&) {
    // Without series, or with damaged ones, it is listed all the same.
  }
  return found;
}

std::vector<Found> look_into(const fs::path& catalogue, const std::vector<std::string>& ids) {
  std::vector<Found> list;
  for (const std::string& id : ids) list.push_back(look_into(folder_of_runs(catalogue) / id));
  return list;
}

// Within a transaction. False where it is listed already.
bool take_in(Database& database, const Found& found) {
  const Account& account = found.account;
  const bool told = !account.generations.empty();
  const auto epoch = account.latest.find(series::kEpoch);
  Run run;
  run.id = found.id;
  run.name = found.spec.name;
  run.spec = found.spec;
  run.state = RunState::stopped;
  run.message = "found in its folder; the catalogue knew nothing of it";
  run.created = told ? account.generations.front().started : found.modified;
  run.ended = told ? account.generations.back().ended : found.modified;
  run.step = account.step;
  if (epoch != account.latest.end()) run.epoch = as_count(epoch->second);
  if (!add_run(database, run)) return false;
  Query row = database.query("SELECT key FROM run WHERE id = ?", found.id);
  row.next();
  const std::int64_t key = row.integer(0);
  for (const Generation& generation : account.generations) put_generation(database, key, generation);
  put_latest(database, key, account.latest);
  return true;
}

}  // namespace

void keep_spec(const fs::path& folder, const protocol::RunSpec& spec) {
  spec.check();
  const fs::path file = folder / kSpecFile, unfinished = file.string() + ".unfinished";
  protocol::make_private_file(unfinished);
  std::ofstream out(unfinished);
  out << protocol::Json(spec).dump(2, ' ', false, protocol::Json::error_handler_t::replace) << "\n";
  out.close();
  std::error_code error;
  if (out) fs::rename(unfinished, file, error);
  if (!out || error)
    throw Error(ErrorKind::io, "cannot write " + file.string() + ": check the disk and its permissions");
}

std::vector<std::string> run_folders(const fs::path& catalogue) {
  std::vector<std::string> ids;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder_of_runs(catalogue), none))
    if (protocol::valid_run_id(entry.path().filename().string()) && entry.is_directory(none))
      ids.push_back(entry.path().filename().string());
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::function<void(Database&)> found_runs(const fs::path& catalogue) {
  return [found = look_into(catalogue, run_folders(catalogue))](Database& database) {
    for (const Found& run : found) take_in(database, run);
  };
}

std::vector<std::string> Catalogue::unlisted_folders() {
  Database& database = impl_->database;
  std::vector<std::string> ids = run_folders(database.file());
  database.read([&] {
    std::erase_if(ids, [&](const std::string& id) {
      return database.query("SELECT 1 FROM run WHERE id = ?", id).next();
    });
  });
  return ids;
}

std::vector<std::string> Catalogue::adopt(const std::vector<std::string>& ids) {
  Database& database = impl_->database;
  const std::vector<Found> found = look_into(database.file(), ids);
  return database.write([&] {
    std::vector<std::string> added;
    for (const Found& run : found)
      if (take_in(database, run)) added.push_back(run.id);
    return added;
  });
}

}  // namespace batchscope::storage
