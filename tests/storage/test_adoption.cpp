// SPDX-License-Identifier: Apache-2.0
//
// A catalogue that was lost, made again from the runs' folders.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

#include "batchscope/storage/record_json.h"
#include "rows.h"
#include "sleeper.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;
using protocol::Json;
namespace fs = std::filesystem;

namespace {

fs::path run_folder(const Folder& store, const std::string& id) { return store.path() / "runs" / id; }

void lose(const Folder& store) {
  for (const char* end : {"", "-wal", "-shm"}) fs::remove(store.path() / (std::string("runs.db") + end));
}

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
      protocol::RunSpec spec = named("kept");
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

    lose(store);
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
      QCOMPARE(generations[1].ended, 1e9 + 3000);
      QCOMPARE(generations[0].reason, std::string("start"));
      QCOMPARE(generations[1].reason, std::string("resume"));
      QCOMPARE(catalogue.events(id).back().generation, 2);
      for (const std::string& other : {bare, std::string("dam4ged0")}) {
        QCOMPARE(catalogue.run(other)->name, other);
        QCOMPARE(catalogue.run(other)->step, 0);
        QVERIFY(catalogue.run(other)->created > 0);
      }
    }
  }

  void whatWasKeptBesideTheSpecComesBack() {
    const Folder store;
    std::string id, removed, alive, queued;
    RunRecord before;
    {
      Catalogue catalogue(store / "runs.db");
      protocol::RunSpec spec = named("kept");
      spec.program = "/usr/bin/train";
      id = catalogue.create_run(spec);
      record(run_folder(store, id));
      Generation generation;
      generation.replicas = 2;
      generation.pause_parts = {{"launch", 0.5}};
      generation.outcome = "finished";
      catalogue.put_generation(id, generation);
      catalogue.put_epoch(id, {0, 0, 1e9, 1e9 + 5, 1, 10});
      catalogue.add_ledger(id, 0, {"train-0", 0, 0, 0, 10, 0, 10, 10});
      catalogue.put_hyperparameters(id, {{"lr", "0.1"}});
      protocol::Model model;
      model.grad_sqr = 2;
      catalogue.put_model(id, 0, model);
      catalogue.put_checkpoint(id, {"checkpoint-000001", 0, 10, 0, 1, 1e9, 1, 1, "manual"});
      catalogue.add_event(id, 0, 10, "info", "something");
      catalogue.set_progress(id, 10, 0, 1, 0.5, {{"loss", 10}});
      catalogue.set_state(id, RunState::failed, "out of memory");
      catalogue.set_name(id, "renamed");  // long after its end
      VERIFY_HOLDS(contents(run_folder(store, id) / "record.json"), "renamed");
      catalogue.set_note(id, "a note\nof two lines");
      catalogue.change_tags(id, {"good", "kept"}, {});
      before = catalogue.record(id);
      removed = catalogue.create_run(named("removed"));
      alive = catalogue.create_run(named("alive"));
      queued = catalogue.submit_run(named("queued"), {});
      for (const std::string& run : {removed, alive, queued}) fs::create_directories(run_folder(store, run));
      catalogue.set_note(queued, "waits");
      catalogue.move_to_trash(removed);
      catalogue.set_state(alive, RunState::running);
      catalogue.put_epoch(alive, {0, 0, 1e9, 0, 1, 0});
      catalogue.set_progress(alive, 1, 0, 2, 0.1, {});
    }
    lose(store);
    Catalogue catalogue(store / "runs.db");
    const RunRecord after = catalogue.record(id);
    QCOMPARE(after.run.name, "renamed");
    QCOMPARE(after.run.note, before.run.note);
    QCOMPARE(after.run.tags, before.run.tags);
    QCOMPARE(after.run.state, RunState::failed);
    QCOMPARE(after.run.message, "out of memory");
    QCOMPARE(after.run.spec.program, "/usr/bin/train");
    QCOMPARE(after.run.created, before.run.created);
    QCOMPARE(after.run.ended, before.run.ended);
    QCOMPARE(after.run.hyperparameters, before.run.hyperparameters);
    QCOMPARE(after.run.step, 3010);                                               // to which the series came
    QCOMPARE(after.run.latest, (std::map<std::string, double>{{"loss", 3010}}));  // of which it told
    QCOMPARE(after.generations.size(), 3u);
    QCOMPARE(after.generations[0].outcome, "finished");
    QCOMPARE(after.generations[0].pause_parts, before.generations[0].pause_parts);
    QCOMPARE(after.epochs.size(), 1u);
    QCOMPARE(after.epochs[0].ended, 1e9 + 5);
    QVERIFY(after.ledger == before.ledger);
    QCOMPARE(after.model->grad_sqr, 2.0);
    QCOMPARE(catalogue.checkpoints(id).size(), 1u);
    QCOMPARE(after.events.size(), 2u);
    QCOMPARE(after.events[0].text, "something");
    VERIFY_HOLDS(after.events[1].text, "could not be restored");
    QCOMPARE(catalogue.trash().size(), 1u);
    QCOMPARE(catalogue.trash()[0].id, removed);
    QCOMPARE(catalogue.run(alive)->state, RunState::interrupted);
    QCOMPARE(catalogue.epochs(alive).size(), 1u);
    QCOMPARE(catalogue.run(queued)->state, RunState::stopped);  // the queue is lost
    QCOMPARE(catalogue.run(queued)->note, "waits");
  }

  void aRecordThatCannotBeReadIsSaidAndTheSeriesAreTaken_data() {
    testing::rows(
        "text",
        {"", "{", "{}", "[]", R"({"format":"batchscope-run","version":9,"run":{}})",
         R"({"format":"batchscope-run","version":1,"run":{"id":"abcd1234","state":"flying"}})",
         R"({"format":"batchscope-run","version":1,"run":{"id":"abcd1234","state":"failed","created":1e300}})",
         R"({"format":"batchscope-run","version":1,"run":{"id":"abcd1234","state":"failed","spec":{"replicas":0}}})"});
  }
  void aRecordThatCannotBeReadIsSaidAndTheSeriesAreTaken() {
    QFETCH(QString, text);
    const Folder store;
    record(run_folder(store, "abcd1234"));
    record(run_folder(store, "abcd1235"));
    write_file(run_folder(store, "abcd1234") / "record.json", text.toStdString());
    Catalogue catalogue(store / "runs.db");
    QCOMPARE(catalogue.runs().size(), 2u);
    QCOMPARE(catalogue.run("abcd1234")->step, 3010);
    QCOMPARE(catalogue.generations("abcd1234").size(), 3u);
    VERIFY_HOLDS(catalogue.events("abcd1234").at(0).text, "record.json cannot be read", "notes");
    VERIFY_HOLDS(catalogue.events("abcd1235").at(0).text, "notes, tags, events, epochs");
  }

  // The last who writes has seen all.
  void manyKeepOneRecord() {
    const Folder store;
    const std::string id = Catalogue(store / "runs.db").create_run(named("busy"));
    fs::create_directories(run_folder(store, id));
    std::vector<Worker> workers;
    for (int i = 0; i < 4; ++i)
      workers.emplace_back([&, i] {
        Catalogue own(store / "runs.db");
        for (int tag = 0; tag < 10; ++tag) own.change_tags(id, {std::to_string(10 * i + tag)}, {});
      });
    for (const Worker& worker : workers) QVERIFY(worker.is_well());
    const auto tags = Catalogue(store / "runs.db").run(id)->tags;
    QCOMPARE(tags.size(), 40u);
    lose(store);
    QCOMPARE(Catalogue(store / "runs.db").run(id)->tags, tags);
    for (const auto& entry : fs::directory_iterator(run_folder(store, id)))
      QCOMPARE(entry.path().filename(), "record.json");
  }

  void aCatalogueThatIsThereAdoptsWhatItIsTold() {
    const Folder store;
    Catalogue catalogue(store / "runs.db");
    const std::string listed = catalogue.create_run({}), removed = catalogue.create_run({});
    catalogue.move_to_trash(removed);
    for (const std::string& id : {listed, removed}) fs::create_directories(run_folder(store, id));
    record(run_folder(store, "abcd1234"));
    QCOMPARE(Catalogue(store / "runs.db").runs().size(), 1u);
    QCOMPARE(catalogue.unlisted_folders(), std::vector<std::string>{"abcd1234"});
    QCOMPARE(catalogue.adopt({"abcd1234", listed}), std::vector<std::string>{"abcd1234"});
    QCOMPARE(catalogue.runs().size(), 2u);
    QCOMPARE(catalogue.run("abcd1234")->step, 3010);
    QVERIFY(catalogue.unlisted_folders().empty());
    QVERIFY(catalogue.adopt({"abcd1234"}).empty());
  }

  void whateverASeriesHoldsDoesNotKeepTheOthersOut() {
    const Folder store;
    record(run_folder(store, "abcd1234"));
    for (const double value : {double(NAN), double(INFINITY), -1e300, 1e300}) {
      static int number = 0;
      SampleWriter writer(run_folder(store, "strange" + std::to_string(number++)) / "samples.db");
      for (const char* name : {"time", "replicas", "epoch", "loss"}) writer.append(0, name, 1, value);
    }
    Catalogue catalogue(store / "runs.db");
    QCOMPARE(catalogue.runs().size(), 5u);
    for (const Run& run : catalogue.runs()) {
      QCOMPARE(run.state, RunState::stopped);
      QVERIFY(!catalogue.record(run.id).generations.empty());
    }
  }

  // A script may count as it likes; a run's own steps begin with 0.
  void stepsBelowZeroTellNothing() {
    const Folder store;
    {
      SampleWriter writer(run_folder(store, "abcd1234") / "samples.db");
      for (const char* name : {"time", "loss"}) writer.append(0, name, -1, 5.0);
    }
    Catalogue catalogue(store / "runs.db");
    QVERIFY(catalogue.generations("abcd1234").empty());
    QVERIFY(catalogue.run("abcd1234")->latest.empty());
  }

  void whatWasDamagedIsStopped() {
    const Folder store;
    RunRecord record;
    record.run.id = "abcd1234";
    Json json = record_json(record);
    json["run"]["state"] = "damaged";
    write_file(run_folder(store, "abcd1234") / "record.json", json.dump());
    write_file(store / "runs/abcd1235", "a file");
    Catalogue catalogue(store / "runs.db");
    QCOMPARE(catalogue.runs().size(), 1u);
    QCOMPARE(catalogue.run("abcd1234")->state, RunState::stopped);
  }

  void whereNothingTellsItWasOneReplica() {
    const Folder store;
    SampleWriter(run_folder(store, "abcd1234") / "samples.db").append(0, "time", 1, 1e9);
    QCOMPARE(Catalogue(store / "runs.db").generations("abcd1234").at(0).replicas, 1);
  }

  void anEmptyCatalogueIsAMissingOne() {
    const Folder store;
    record(run_folder(store, "abcd1234"));
    std::ofstream(store / "runs.db").flush();
    QCOMPARE(Catalogue(store / "runs.db").runs().size(), 1u);
    fs::resize_file(store / "runs.db", 0);
    QCOMPARE(Catalogue(store / "runs.db").runs().size(), 1u);
  }

  // The process that makes it is killed as soon as there is something to be seen of it.
  void aCatalogueIsNeverHalfMade() {
    const Folder store;
    makeFolders(store);
    const pid_t child = fork();
    if (child == 0) {
      Catalogue catalogue(store / "runs.db");
      _exit(0);
    }
    int status = 0;
    const auto is_there = [&] {
      std::error_code missing;
      const auto size = fs::file_size(store / "runs.db-wal", missing);
      return !missing && size > 0;
    };
    while (!is_there() && waitpid(child, &status, WNOHANG) == 0) {
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    QCOMPARE(Catalogue(store / "runs.db").runs().size(), kRuns);
  }

  void whoComesMeanwhileWaitsForAllOfIt() {
    const Folder store;
    makeFolders(store);
    std::vector<Worker> workers;
    for (int i = 0; i < 4; ++i)
      workers.emplace_back([&] {
        Catalogue catalogue(store / "runs.db");
        if (catalogue.runs().size() != kRuns || !catalogue.unlisted_folders().empty())
          throw std::runtime_error("some runs are missing");
      });
    for (const Worker& worker : workers) QVERIFY(worker.is_well());
  }

 private:
  static constexpr std::size_t kRuns = 20;

  static void makeFolders(const Folder& store) {
    for (std::size_t i = 0; i < kRuns; ++i) {
      SampleWriter writer(run_folder(store, "run000" + std::to_string(10 + i)) / "samples.db");
      writer.append(0, "time", 1, 1e9);
    }
  }
};

BATCHSCOPE_TEST(TestAdoption)
#include "test_adoption.moc"
