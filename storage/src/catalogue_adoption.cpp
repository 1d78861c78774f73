// SPDX-License-Identifier: Apache-2.0
//
// A catalogue that was lost, made again from what lies beside it: each run's folder has its spec, run.json,
// and its series, which know the generations with their times. Events, tags, notes and hyperparameters were
// in the catalogue alone.
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "batchscope/protocol/json.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/series.h"
#include "batchscope/storage/samples.h"
#include "catalogue_impl.h"

namespace batchscope::storage {
namespace {

namespace fs = std::filesystem;
namespace series = protocol::series;

constexpr char kSpecFile[] = "run.json";

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
    generation.started = times->first.value;
    generation.ended = times->last.value;
    generation.first_step = times->first.step;
    generation.last_step = account.step = times->last.step;
    const auto replicas = ends_of(reader, series::kReplicas, number);
    generation.replicas = replicas ? static_cast<int>(replicas->last.value) : 1;
  }
  for (const SeriesInfo& info : reader.series())
    if (const auto generations = reader.generations(info.name); !generations.empty())
      if (const auto ends = ends_of(reader, info.name, generations.back()))
        account.latest[info.name] = ends->last.value;
  return account;
}

void adopt(Catalogue& catalogue, Database& database, const fs::path& folder) {
  const std::string id = folder.filename().string();
  protocol::RunSpec spec = kept_spec(folder);
  if (spec.name.empty()) spec.name = id;
  Account account;
  try {
    SampleReader reader(folder / "samples.db");
    account = account_of(reader);
  } catch (const Error&) {
    // Without series, or with damaged ones, it is listed all the same.
  }
  const bool told = !account.generations.empty();
  const int added = database.write([&] {
    return database.execute(
        "INSERT OR IGNORE INTO run (id, name, spec, state, message, created, ended) VALUES (?, ?, ?, ?, ?, "
        "?, ?)",
        id, spec.name, protocol::Json(spec).dump(-1, ' ', false, protocol::Json::error_handler_t::replace),
        run_state_name(RunState::stopped), "found in its folder after the catalogue was lost",
        told ? account.generations.front().started : modified(folder),
        told ? account.generations.back().ended : modified(folder));
  });
  if (added == 0) return;  // another process was faster
  for (const Generation& generation : account.generations) catalogue.put_generation(id, generation);
  const auto epoch = account.latest.find(series::kEpoch);
  catalogue.set_progress(id, account.step,
                         epoch == account.latest.end() ? 0 : static_cast<int>(epoch->second), 0, 0,
                         account.latest);
}

}  // namespace

void keep_spec(const fs::path& folder, const protocol::RunSpec& spec) {
  const fs::path file = folder / kSpecFile, unfinished = file.string() + ".unfinished";
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
  for (const auto& entry : fs::directory_iterator(fs::absolute(catalogue).parent_path() / "runs", none))
    if (protocol::valid_run_id(entry.path().filename().string()))
      ids.push_back(entry.path().filename().string());
  std::sort(ids.begin(), ids.end());
  return ids;
}

void adopt_run_folders(Catalogue& catalogue, Database& database) {
  for (const std::string& id : run_folders(database.file()))
    adopt(catalogue, database, fs::absolute(database.file()).parent_path() / "runs" / id);
}

}  // namespace batchscope::storage
