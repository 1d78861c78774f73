// SPDX-License-Identifier: Apache-2.0
//
// The run store against the plain layout, one row per value with an index, on the same disk, in the same
// journal mode and with the same commits.
//   store.insert  time of the plain layout over ours, both from an empty file to a closed one
//   store.read    the same for reading one series of 20,000 samples
//   store.draw    what drawing 10 million samples at 2,000 columns reads, each summary counted as a row,
//                 over the rows the plain layout would read
//   store.list    listing and filtering 1,000 runs of 50 series over loading their samples
//   store.size    file size over the plain layout's
#include <sqlite3.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "batchscope/storage.h"
#include "bench.h"

namespace fs = std::filesystem;
namespace bench = batchscope::bench;
using namespace batchscope::storage;

namespace {

constexpr int kSeries = 25;
constexpr int kSteps = 20'000;
constexpr int kStepsPerCommit = 25;  // 100 steps/s, a commit every 250 ms
constexpr int kLongSamples = 10'000'000;
constexpr int kColumns = 2'000;
constexpr int kSummariesPerRow = 32;
constexpr int kRuns = 1'000;
constexpr int kSeriesPerRun = 50;
constexpr int kSamplesPerSeries = 1'000;
constexpr int kRunsLoaded = 10;  // of the thousand, for the time of one

std::string series_name(int series) { return "series_" + std::to_string(series); }
double value_at(int series, int step) { return std::sin(0.001 * step) + series; }

void check(int code) {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
  std::fprintf(stderr, "bench_store: %s\n", sqlite3_errstr(code));
  std::exit(1);
}

// One row per value.
class PlainStore {
 public:
  explicit PlainStore(const fs::path& file) {
    check(sqlite3_open(file.c_str(), &connection_));
    execute("PRAGMA journal_mode = WAL");
    execute("PRAGMA synchronous = NORMAL");
    execute(
        "CREATE TABLE IF NOT EXISTS sample (series TEXT NOT NULL, generation INTEGER NOT NULL,"
        " step INTEGER NOT NULL, value REAL)");
    execute("CREATE INDEX IF NOT EXISTS sample_by_step ON sample (series, generation, step)");
    check(sqlite3_prepare_v2(connection_, "INSERT INTO sample VALUES (?, 0, ?, ?)", -1, &insert_, nullptr));
    check(sqlite3_prepare_v2(
        connection_, "SELECT step, value FROM sample WHERE series = ? AND generation = 0 ORDER BY step", -1,
        &select_, nullptr));
  }
  ~PlainStore() {
    sqlite3_finalize(insert_);
    sqlite3_finalize(select_);
    sqlite3_close(connection_);
  }
  PlainStore(const PlainStore&) = delete;
  PlainStore& operator=(const PlainStore&) = delete;

  void execute(const char* sql) { check(sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr)); }

  void insert(const std::string& series, int step, double value) {
    sqlite3_bind_text(insert_, 1, series.data(), static_cast<int>(series.size()), SQLITE_STATIC);
    sqlite3_bind_int(insert_, 2, step);
    sqlite3_bind_double(insert_, 3, value);
    check(sqlite3_step(insert_));
    sqlite3_reset(insert_);
  }

  std::vector<Sample> read(const std::string& series) {
    std::vector<Sample> samples;
    sqlite3_bind_text(select_, 1, series.data(), static_cast<int>(series.size()), SQLITE_STATIC);
    while (sqlite3_step(select_) == SQLITE_ROW)
      samples.push_back({sqlite3_column_int64(select_, 0), sqlite3_column_double(select_, 1)});
    sqlite3_reset(select_);
    return samples;
  }

 private:
  sqlite3* connection_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  sqlite3_stmt* select_ = nullptr;
};

void write_plain(const fs::path& file) {
  PlainStore store(file);
  for (int step = 1; step <= kSteps; ++step) {
    if (step % kStepsPerCommit == 1) store.execute("BEGIN IMMEDIATE");
    for (int series = 0; series < kSeries; ++series)
      store.insert(series_name(series), step, value_at(series, step));
    if (step % kStepsPerCommit == 0) store.execute("COMMIT");
  }
}

void write_ours(const fs::path& file, int series_count, int steps) {
  SampleWriter writer(file);
  for (int step = 1; step <= steps; ++step) {
    for (int series = 0; series < series_count; ++series)
      writer.append(0, series_name(series), step, value_at(series, step));
    if (step % kStepsPerCommit == 0) writer.commit();
  }
}

// Made when first needed, removed at the end.
class Files {
 public:
  Files() {
    std::string name = (fs::temp_directory_path() / "bench_store.XXXXXX").string();
    if (!mkdtemp(name.data())) std::exit(1);
    folder_ = name;
  }
  ~Files() { fs::remove_all(folder_); }

  fs::path empty(const std::string& name) {
    fs::remove_all(folder_ / name);
    fs::create_directories(folder_ / name);
    return folder_ / name / "samples.db";
  }

  template <class Make>
  fs::path made(const std::string& name, Make make) {
    const fs::path file = folder_ / name / "samples.db";
    if (!fs::exists(file)) make(empty(name));
    return file;
  }
  fs::path plain() { return made("plain", write_plain); }
  fs::path ours() {
    return made("ours", [](const fs::path& file) { write_ours(file, kSeries, kSteps); });
  }

 private:
  fs::path folder_;
};

double insert(Files& files) {
  const fs::path plain = files.empty("insert-plain"), ours = files.empty("insert-ours");
  const double before = bench::seconds(1, [&] { write_plain(plain); });
  return before / bench::seconds(1, [&] { write_ours(ours, kSeries, kSteps); });
}

double read(Files& files) {
  PlainStore plain(files.plain());
  SampleReader ours(files.ours());
  const std::string name = series_name(kSeries / 2);
  const double before = bench::seconds(3, [&] { bench::keep(plain.read(name)); });
  return before / bench::seconds(30, [&] { bench::keep(ours.read(name, 0)); });
}

double draw(Files& files) {
  SampleReader reader(files.made("long", [](const fs::path& file) { write_ours(file, 1, kLongSamples); }));
  const auto buckets = reader.summarize(series_name(0), 0, 0, INT64_MAX, kColumns);
  bench::keep(buckets);
  return static_cast<double>(reader.rows_read()) * kSummariesPerRow / kLongSamples;
}

double list(Files& files) {
  const fs::path file = files.made("runs", [](const fs::path& file) {
    Catalogue catalogue(file);
    std::map<std::string, double> latest;
    for (int series = 0; series < kSeriesPerRun; ++series) latest[series_name(series)] = series;
    for (int i = 0; i < kRuns; ++i) {
      batchscope::protocol::RunSpec spec;
      spec.name = "run-" + std::to_string(i);
      latest[series_name(0)] = i;
      catalogue.set_progress(catalogue.create_run(spec), i, 1, 2, 0.5, latest);
    }
  });
  const double listing = bench::seconds(1, [&] {
    std::vector<Run> runs = Catalogue(file).runs();
    std::erase_if(runs, [](const Run& run) { return run.latest.at(series_name(0)) < kRuns / 2; });
    bench::keep(runs);
  });
  const fs::path samples =
      files.made("run", [](const fs::path& of) { write_ours(of, kSeriesPerRun, kSamplesPerSeries); });
  const double loading = kRuns * bench::seconds(kRunsLoaded, [&] {
                           SampleReader reader(samples);
                           for (const SeriesInfo& series : reader.series())
                             bench::keep(reader.read(series.name, 0));
                         });
  return listing / loading;
}

double size(Files& files) {
  return static_cast<double>(fs::file_size(files.ours())) / static_cast<double>(fs::file_size(files.plain()));
}

}  // namespace

int main(int argc, char** argv) {
  Files files;
  return bench::run(argc, argv,
                    {{"store.insert", "times", 5, [&] { return insert(files); }, false},
                     {"store.read", "times", 20, [&] { return read(files); }, false},
                     {"store.draw", "ratio", 1.0 / 500, [&] { return draw(files); }},
                     {"store.list", "ratio", 1.0 / 10, [&] { return list(files); }},
                     {"store.size", "ratio", 0.6, [&] { return size(files); }}},
                    5);
}
