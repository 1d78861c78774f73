// SPDX-License-Identifier: Apache-2.0
//
// A catalogue that was lost, made again from the runs' folders.
#include <QTest>
#include <fstream>

#include "store_test.h"

using namespace batchscope;
using namespace batchscope::storage;
using test::Folder;
namespace fs = std::filesystem;

namespace {

fs::path run_folder(const Folder& store, const std::string& id) { return store.path() / "runs" / id; }

// Three generations: "loss" is the step, a step a second; two replicas in the second.
void record(const fs::path& folder) {
  SampleWriter writer(folder / "samples.db");
  const auto generation = [&](int number, std::int64_t from, std::int64_t to, double replicas) {
    for (std::int64_t step = from; step <= to; ++step) {
      const auto value = static_cast<double>(step);
      writer.append(number, "time", step, 1e9 + value);
      writer.append(number, "loss", step, value);
      writer.append(number, "replicas", step, replicas);
      writer.append(number, "epoch", step, value / 1000);
    }
  };
  generation(0, 1, 1500, 1);
  generation(1, 1401, 3000, 2);
  generation(2, 3001, 3010, 1);
}

}  // namespace

class TestAdoption : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void runsAreFoundAgainInTheirFolders() {
    const Folder store;
    std::string id, bare;
    {
      Catalogue catalogue(store / "runs.db");
      protocol::RunSpec spec;
      spec.name = "kept";
      spec.program = "/usr/bin/train";
      spec.arguments = {"--epochs", "3"};
      id = catalogue.create_run(spec);
      bare = catalogue.create_run({});
      record(run_folder(store, id));
      keep_spec(run_folder(store, id), spec);
      fs::create_directories(run_folder(store, bare));
    }
    fs::create_directories(store / "runs/not a run");
    fs::create_directories(store / "runs/dam4ged0");
    std::ofstream(store / "runs/dam4ged0/samples.db") << std::string(9000, '?');
    std::ofstream(store / "runs/dam4ged0/run.json") << "{";
    QCOMPARE(run_folders(store / "runs.db").size(), 3u);

    for (const char* end : {"", "-wal", "-shm"}) fs::remove(store.path() / (std::string("runs.db") + end));
    for (int opened = 0; opened < 2; ++opened) {  // it is made once
      Catalogue catalogue(store / "runs.db");
      QCOMPARE(catalogue.runs().size(), 3u);
      const Run run = catalogue.resolve("kept");
      QCOMPARE(run.id, id);
      QCOMPARE(run.state, RunState::stopped);
      QCOMPARE(run.spec.program, "/usr/bin/train");
      QCOMPARE(run.spec.arguments, (std::vector<std::string>{"--epochs", "3"}));
      QCOMPARE(run.created, 1e9 + 1);
      QCOMPARE(run.ended, 1e9 + 3010);
      QCOMPARE(run.step, 3010);
      QCOMPARE(run.epoch, 3);
      QCOMPARE(run.latest.at("loss"), 3010.0);
      const auto generations = catalogue.generations(id);
      QCOMPARE(generations.size(), 3u);
      QCOMPARE(generations[1].first_step, 1401);
      QCOMPARE(generations[1].last_step, 3000);
      QCOMPARE(generations[1].replicas, 2);
      QCOMPARE(generations[1].started, 1e9 + 1401);
      for (const std::string& other : {bare, std::string("dam4ged0")}) {
        QCOMPARE(catalogue.run(other)->name, other);
        QCOMPARE(catalogue.run(other)->step, 0);
        QVERIFY(catalogue.run(other)->created > 0);
      }
    }
  }

  void aCatalogueThatIsThereAdoptsNothing() {
    const Folder store;
    { Catalogue catalogue(store / "runs.db"); }
    fs::create_directories(run_folder(store, "abcd1234"));
    QVERIFY(Catalogue(store / "runs.db").runs().empty());
  }
};

QTEST_APPLESS_MAIN(TestAdoption)
#include "test_adoption.moc"
