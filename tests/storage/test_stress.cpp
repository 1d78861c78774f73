// SPDX-License-Identifier: Apache-2.0
//
// Everybody at once, each in a process of its own: four runs record, eight readers follow them, and two
// people tag, note, rename and remove. Nobody meets an error, every reader sees every value, and the
// write-ahead logs stay short, which they only do while readers hold no transaction.
// BATCHSCOPE_STRESS_SECONDS says for how long; without it, five.
#include <chrono>
#include <map>
#include <thread>

#include "sleeper.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int kRuns = 4, kReaders = 8, kPeople = 2;
constexpr int kSeries = 20, kStepsPerCommit = 5;
constexpr std::uintmax_t kLongestLog = 32u << 20;

double value_at(int series, std::int64_t step) { return static_cast<double>(step) * 100 + series; }
std::string series_name(int series) { return "series_" + std::to_string(series); }

struct Store {
  fs::path catalogue() const { return folder / "runs.db"; }
  fs::path samples(const std::string& run) const { return folder.path() / "runs" / run / "samples.db"; }

  Folder folder;
  std::vector<std::string> runs;
  Clock::time_point end;
};

// Writes as a supervisor does, oftener.
void record(const Store& store, const std::string& run) {
  Catalogue catalogue(store.catalogue());
  SampleWriter writer(store.samples(run));
  std::int64_t step = 1;
  for (int commits = 1; Clock::now() < store.end; ++commits) {
    for (int series = 0; series < kSeries; ++series) {
      std::vector<double> values;
      for (int i = 0; i < kStepsPerCommit; ++i) values.push_back(value_at(series, step + i));
      writer.append(0, series_name(series), step, values);
    }
    step += kStepsPerCommit;
    writer.commit();
    if (commits % 10 == 0) {
      catalogue.set_progress(run, step - 1, 0, 1, 0.5, {{"loss", 1.0}, {"gain", 2.0}});
      catalogue.add_event(run, 0, step - 1, "info", "so far");
    }
    std::this_thread::sleep_for(2ms);
  }
  catalogue.set_progress(run, step - 1, 1, 1, 1, {});
  catalogue.set_state(run, RunState::finished);
}

// Reads as a window does: the list, and of each run the events and the newest values. Then all of it once
// more.
void follow(const Store& store, int reader) {
  Catalogue catalogue(store.catalogue());
  std::map<std::string, std::unique_ptr<SampleReader>> readers;
  std::map<std::string, std::int64_t> last, last_event;
  const std::string series = series_name(reader);
  const auto check = [](bool claim, const char* what) {
    if (!claim) throw std::runtime_error(what);
  };
  const auto look = [&](const std::string& run) {
    auto& samples = readers[run];
    if (!samples) {
      if (!fs::exists(store.samples(run))) return;
      try {
        samples = std::make_unique<SampleReader>(store.samples(run));
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::not_found) throw;  // the writer is about to make it
        return;
      }
    }
    for (const Sample& sample : samples->read(series, 0, last[run] + 1)) {
      check(sample.step == ++last[run], "a step is missing");
      check(sample.value == value_at(reader, sample.step), "a value is wrong");
    }
    std::int64_t count = 0;
    for (const Bucket& bucket : samples->summarize(series, 0, 0, last[run], 100)) count += bucket.count;
    check(count == last[run], "a summary is wrong");
    for (const Event& event : catalogue.events(run, last_event[run])) last_event[run] = event.id;
  };
  while (Clock::now() < store.end) {
    if (catalogue.changed()) check(catalogue.runs().size() >= kRuns, "a run is missing");
    for (const std::string& run : store.runs) look(run);
  }
  for (const std::string& run : store.runs) {
    while (is_active(catalogue.run(run)->state)) {
      check(Clock::now() < store.end + 60s, "a run does not end");
      std::this_thread::sleep_for(10ms);
    }
    look(run);
    check(last[run] == catalogue.run(run)->step, "the end is missing");
    check(last_event[run] > 0, "no event was seen");
  }
}

// Runs of a moment come and go, the others are annotated.
void annotate(const Store& store, int person) {
  Catalogue catalogue(store.catalogue());
  for (int i = 0; Clock::now() < store.end; ++i) {
    const std::string& run = store.runs[static_cast<std::size_t>(i) % store.runs.size()];
    catalogue.set_tags(run, {"tag-" + std::to_string(person), std::to_string(i % 7)});
    catalogue.set_note(run, "note " + std::to_string(i));
    catalogue.set_name(run, "name-" + std::to_string(i));
    const std::string scratch = catalogue.create_run({});
    {
      SampleWriter writer(store.samples(scratch));
      writer.append(0, "x", 1, std::vector<double>(3'000, 1.0));
    }
    catalogue.remove_run(scratch);
    fs::remove_all(store.samples(scratch).parent_path());
    std::this_thread::sleep_for(5ms);
  }
}

}  // namespace

class TestStress : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everybodyAtOnce() {
    const int seconds = qEnvironmentVariableIntValue("BATCHSCOPE_STRESS_SECONDS");
    Store store;
    {
      Catalogue catalogue(store.catalogue());
      for (int i = 0; i < kRuns; ++i) {
        const std::string run = catalogue.create_run({});
        catalogue.claim_supervisor(run);
        catalogue.set_state(run, RunState::running);
        store.runs.push_back(run);
      }
    }
    store.end = Clock::now() + std::chrono::seconds(seconds > 0 ? seconds : 5);
    std::vector<Worker> workers;
    for (const std::string& run : store.runs) workers.emplace_back([&] { record(store, run); });
    for (int reader = 0; reader < kReaders; ++reader) workers.emplace_back([&] { follow(store, reader); });
    for (int person = 0; person < kPeople; ++person) workers.emplace_back([&] { annotate(store, person); });

    std::uintmax_t longest = 0;
    while (Clock::now() < store.end) {
      std::vector<fs::path> files{store.catalogue()};
      for (const std::string& run : store.runs) files.push_back(store.samples(run));
      for (const fs::path& file : files) {
        std::error_code none_yet;
        const auto size = fs::file_size(file.string() + "-wal", none_yet);
        if (!none_yet) longest = std::max(longest, size);
      }
      std::this_thread::sleep_for(20ms);
    }
    int unwell = 0;
    for (const Worker& worker : workers) unwell += !worker.is_well();
    QCOMPARE(unwell, 0);
    QVERIFY2(longest < kLongestLog, qPrintable(QString::number(longest)));

    Catalogue catalogue(store.catalogue());
    QCOMPARE(catalogue.runs().size(), static_cast<std::size_t>(kRuns));
    for (const std::string& run : store.runs) {
      const Run found = *catalogue.run(run);
      QVERIFY(found.step > 0);
      QCOMPARE(found.tags.size(), 2u);
      SampleReader reader(store.samples(run));
      QCOMPARE(reader.series().size(), static_cast<std::size_t>(kSeries));
      for (const SeriesInfo& series : reader.series()) QCOMPARE(series.count, found.step);
    }
  }
};

BATCHSCOPE_TEST(TestStress)
#include "test_stress.moc"
