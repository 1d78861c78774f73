// SPDX-License-Identifier: Apache-2.0
//
// Runs that the catalogue does not list, taken in from what lies beside it: each run's folder has its spec,
// run.json, its record, record.json, and its series, which know the generations with their times and may have
// come further than the record. Looking into the folders may take long and holds no lock; what was found is
// written in one transaction, which for a new catalogue is the one that makes its tables: nobody ever sees
// half of it, and whoever opens it meanwhile waits for all of it.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cmath>
#include <fstream>
#include <iterator>

#include "batchscope/protocol/json.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/private_files.h"
#include "batchscope/protocol/series.h"
#include "batchscope/storage/origins.h"
#include "batchscope/storage/record_json.h"
#include "batchscope/storage/samples.h"
#include "catalogue/catalogue_impl.h"

namespace batchscope::storage {
namespace {

namespace fs = std::filesystem;
namespace series = protocol::series;
using protocol::Json;

constexpr char kRecordFile[] = "record.json";
constexpr int kKeepAttempts = 3;
constexpr double kKeepInterval = 5;  // s between two records of a run that trains, at least
constexpr double kKeepShare = 0.01;  // of the time that writing them may take

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

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

// Returns 0 where there is nothing any more.
double modified(const fs::path& path) {
  struct stat info {};
  stat(path.c_str(), &info);
  return static_cast<double>(info.st_mtim.tv_sec);
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

// Account of a run by its series.
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
    if (const auto ends = ends_of(reader, info.name, reader.generations(info.name).back()))
      account.latest[info.name] = ends->last.value;
  return account;
}

// The run as its series and its spec tell it, which know nothing else.
RunRecord record_by_series(const fs::path& folder) {
  RunRecord record;
  record.run.id = folder.filename().string();
  record.run.spec = kept_spec(folder);
  record.run.name = record.run.spec.name.empty() ? record.run.id : record.run.spec.name;
  record.run.state = RunState::stopped;
  record.run.message = "found in its folder; the catalogue did not list it";
  return record;
}

// Reads the run from record.json.
RecordPart kept_record(const fs::path& folder) {
  std::ifstream in(folder / kRecordFile);
  const Json json = protocol::parse_object(std::string(std::istreambuf_iterator<char>(in), {}));
  RecordPart part{.record = record_from(json), .checkpoints = checkpoints_from(json)};
  Run& run = part.record.run;
  run.id = folder.filename().string();
  run.spec.check();
  if (run.state == RunState::interrupted)
    run.state = RunState::running;  // readers see that its supervisor is gone
  if (run.state == RunState::pending || run.state == RunState::damaged) run.state = RunState::stopped;
  return part;
}

// The series may have come further than the record, and are all that there is without one.
void add_account(const Account& account, double modified, RunRecord& record) {
  for (const Generation& generation : account.generations)
    if (std::none_of(record.generations.begin(), record.generations.end(),
                     [&](const Generation& known) { return known.number == generation.number; }))
      record.generations.push_back(generation);
  Run& run = record.run;
  const bool is_told = !run.latest.empty();  // which series the supervisor told of
  for (const auto& [name, value] : account.latest)
    if (!is_told || run.latest.contains(name)) run.latest[name] = value;
  run.step = std::max(run.step, account.step);
  if (const auto epoch = account.latest.find(series::kEpoch); epoch != account.latest.end())
    run.epoch = std::max(run.epoch, as_count(epoch->second));
  if (run.created > 0) return;
  run.created = record.generations.empty() ? modified : record.generations.front().started;
  run.ended = record.generations.empty() ? modified : record.generations.back().ended;
}

RecordPart look_into(const fs::path& folder) {
  RecordPart part;
  std::string loss =
      "its notes, tags, events, epochs, hyperparameters and ledger, and how it ended, could not be restored";
  try {
    if (fs::exists(folder / kRecordFile)) {
      part = kept_record(folder);
      loss =
          "its record was found; its place in the queue, its sweep and the history of its devices could not "
          "be restored";
    }
  } catch (const std::exception& fault) {
    loss += std::string("; ") + kRecordFile + " cannot be read: " + protocol::fault_text(fault);
  }
  if (part.record.run.id.empty()) part.record = record_by_series(folder);
  try {
    SampleReader reader(folder / "samples.db");
    add_account(account_of(reader), modified(folder), part.record);
  } catch (const std::exception&) {
    // A run without series, or with damaged ones, is listed all the same.
    add_account({}, modified(folder), part.record);
  }
  part.ledger_from = 0;
  const auto& generations = part.record.generations;
  part.record.events.push_back({0, now(), generations.empty() ? 0 : generations.back().number,
                                part.record.run.step, "warning", "listed again from its folder: " + loss});
  return part;
}

std::vector<RecordPart> look_into(const fs::path& catalogue, const std::vector<std::string>& ids) {
  std::vector<RecordPart> list;
  for (const std::string& id : ids) list.push_back(look_into(folder_of_runs(catalogue) / id));
  return list;
}

// Takes a run in, within a transaction. False where it is listed already.
bool take_in(Database& database, const RecordPart& found) {
  if (!add_run(database, found.record.run)) return false;
  take_part(database, run_key(database, found.record.run.id), found, true);
  return true;
}

// Replaces the file whole, or not at all.
void replace_file(const fs::path& file, const Json& json) {
  const fs::path unfinished = file.string() + ".unfinished-" + std::to_string(gettid());
  protocol::make_private_file(unfinished);
  std::ofstream out(unfinished);
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  out.close();
  std::error_code error;
  if (out) fs::rename(unfinished, file, error);
  if (!out || error) {
    std::error_code gone;
    fs::remove(unfinished, gone);
    throw Error(ErrorKind::io, "cannot write " + file.string() + ": check the disk and its permissions");
  }
}

}  // namespace

void keep_spec(const fs::path& folder, const protocol::RunSpec& spec) {
  spec.check();
  replace_file(folder / kSpecFile, spec);
}

void Catalogue::Impl::keep_record(Catalogue& catalogue, const std::string& id) noexcept {
  const double begin = steady_seconds();
  try {
    const fs::path folder = folder_of_runs(database.file()) / id;
    std::error_code none;
    // Another process that changes the run meanwhile keeps it, too: the file that stays is to be the newest.
    for (int attempt = 0; attempt < kKeepAttempts && fs::is_directory(folder, none); ++attempt) {
      const std::int64_t before = database.data_version();
      Json json = record_json(catalogue.record(id));
      json["checkpoints"] = records_json(catalogue.checkpoints(id));
      replace_file(folder / kRecordFile, json);
      if (database.data_version() == before) break;
    }
  } catch (const std::exception&) {
    // The catalogue has it; the next change is kept with it.
  }
  const double end = steady_seconds();
  keep_again[id] = end + std::max(kKeepInterval, (end - begin) / kKeepShare);
}

void Catalogue::Impl::keep_record_at_times(Catalogue& catalogue, const std::string& id) noexcept {
  if (const auto next = keep_again.find(id); next == keep_again.end() || steady_seconds() >= next->second)
    keep_record(catalogue, id);
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
    for (const RecordPart& run : found) take_in(database, run);
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
  const std::vector<RecordPart> found = look_into(database.file(), ids);
  return database.write([&] {
    std::vector<std::string> added;
    for (const RecordPart& part : found)
      if (take_in(database, part)) added.push_back(part.record.run.id);
    return added;
  });
}

}  // namespace batchscope::storage
