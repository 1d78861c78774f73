// SPDX-License-Identifier: Apache-2.0
//
// States and their checkpoints in one process: what is loaded, what is written and told, and what is passed
// over. The program starts from the older of two checkpoints, as the newer one is damaged.
#include <errno.h>  // program_invocation_short_name

#include <QTemporaryDir>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <sstream>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/volatile_checkpoint.h"
#include "checkpoint/job.h"
#include "checkpoint/json_state.h"
#include "checkpoint/ledger.h"
#include "checkpoint/periodic.h"
#include "checkpoint/registry.h"
#include "listener.h"
#include "process/process.h"
#include "process/session.h"
#include "process/signals.h"
#include "report/telemetry_client.h"
#include "rows.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::TelemetryListener;
namespace fs = std::filesystem;

namespace {

struct Counter final : JsonState {
  explicit Counter(const std::string& name, Form form = Form::text) : JsonState(name, form) {}
  protocol::Json contents() const override { return {{"count", count}}; }
  void restore(const protocol::Json& json) override { json.at("count").get_to(count); }
  double count = 0;
};

// Writes what a test says.
struct Scripted final : checkpoint::State {
  explicit Scripted(const std::string& name) : State(name) {}
  void save(std::ostream& out) override { write(out); }
  void load(std::istream& in) override { read(in); }
  Writer snapshot() override { return write; }
  std::function<void(std::ostream&)> write = [](std::ostream& out) { out << "x"; };
  std::function<void(std::istream&)> read = [](std::istream&) {};
};

}  // namespace

class TestStates : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::unique_ptr<TelemetryListener> supervisor_;

  static protocol::LedgerEntry stretch(std::int64_t from, std::int64_t to) {
    return {"train-0", 0, 0, from, to, 0, 100, to / 10};
  }
  fs::path checkpoints() const { return folder_.filePath("checkpoints").toStdString(); }
  fs::path newest() const { return protocol::list_checkpoints(checkpoints()).front(); }

  // Returns what the supervisor was told up to now.
  template <class T>
  std::vector<T> told() const {
    static std::int64_t marks = 0;
    const std::string end = "mark " + std::to_string(++marks);
    notice("info", end);
    std::vector<T> all;
    supervisor_->read_until([&](const protocol::Message& message) {
      if (const T* one = std::get_if<T>(&message)) all.push_back(*one);
      const auto* mark = std::get_if<protocol::Notice>(&message);
      return mark && mark->text == end;
    });
    if constexpr (std::is_same_v<T, protocol::Notice>) all.pop_back();
    return all;
  }

 private Q_SLOTS:
  void initTestCase() {
    auto& environment = session().part<Process>().environment;
    environment.checkpoint_path = checkpoints().string();
    environment.num_restarts = 4;
    CheckpointStore store(checkpoints());
    const auto file = [](const std::string& name, const std::string& text) {
      return CheckpointStore::File{name, [text](std::ostream& out) { out << text; }};
    };
    protocol::Manifest manifest;
    manifest.step = 5;
    manifest.generation = 3;
    manifest.ledger = {{3, stretch(0, 10)}};
    manifest.ledger_from = 3;
    store.write(manifest,
                {file("kept", R"({"count":7,"version":1})"), file("torn", "{"), file("later", "x")});
    const fs::path damaged = store.write(manifest, {file("kept", R"({"count":8,"version":1})")});
    std::ofstream(damaged / "kept") << R"({"count":9,"version":1})";
    set_training_progress([] { return TrainingProgress{12, 2, 3.5, 100}; });
    supervisor_ = std::make_unique<TelemetryListener>(folder_.filePath("telemetry").toStdString());
    telemetry_start(supervisor_->environment());
    supervisor_->accept();
  }
  void init() { told<protocol::Notice>(); }  // what earlier tests were told is theirs
  void cleanupTestCase() { telemetry_stop(0); }

  // --- what is loaded ---

  void aDamagedCheckpointIsPassedOverAndNamed() {
    QCOMPARE(restored_from(), "checkpoint-000000");
    QCOMPARE(restored_manifest().step, 5);
    const auto notices = told<protocol::Notice>();
    QCOMPARE(notices.size(), 1u);
    QCOMPARE(notices[0].level, "warning");
    VERIFY_HOLDS(notices[0].text, "skipped a checkpoint that is not good: checkpoint-000001",
                 "used the one before it");
  }

  void aStateIsLoadedWhereTheCheckpointHasIt() {
    Counter kept("kept"), other("other");
    other.count = 3;
    QVERIFY(checkpoint::load_state(kept));
    QCOMPARE(kept.count, 7.0);
    QVERIFY(!checkpoint::load_state(other));
    QCOMPARE(other.count, 3.0);
  }

  // The text of an exception of another kind is put into a sentence; a want of memory is not the file's
  // fault.
  void aStateThatCannotBeMadeOfItsFileNamesIt() {
    Counter torn("torn");
    VERIFY_THROWS("corrupt", "/checkpoint-000000/torn cannot be loaded: the state \"torn\" is damaged",
                  checkpoint::load_state(torn));
    Scripted later("later");
    later.read = [](std::istream&) { throw Error(ErrorKind::conflict, "another size"); };
    VERIFY_THROWS("conflict", "another size", checkpoint::load_state(later));
    later.read = [](std::istream&) { throw std::runtime_error("it ends"); };
    VERIFY_THROWS("corrupt", "holds no state \"later\" as this program writes it: it ends",
                  checkpoint::load_state(later));
    later.read = [](std::istream&) { throw std::bad_alloc(); };
    QVERIFY_THROWS_EXCEPTION(std::bad_alloc, checkpoint::load_state(later));
    const auto failures = told<protocol::Failure>();
    QCOMPARE(failures.size(), 1u);  // the first, of which the others follow
    QCOMPARE(failures[0].kind, "checkpoint");
    QCOMPARE(failures[0].checkpoint, "checkpoint-000000");
  }

  void aFileThatIsGoneIsNamed() {
    const fs::path file = checkpoints() / "checkpoint-000000" / "later",
                   away = folder_.filePath("away").toStdString();
    fs::rename(file, away);
    Scripted later("later");
    VERIFY_THROWS("not_found", "/checkpoint-000000/later is missing", checkpoint::load_state(later));
    fs::rename(away, file);
    QVERIFY(checkpoint::load_state(later));
  }

  void withoutAFolderItIsBesideTheProgram() {
    std::string& given = session().part<Process>().environment.checkpoint_path;
    const std::string before = std::exchange(given, "");
    QCOMPARE(checkpoint_directory().string(), std::string(program_invocation_short_name) + ".checkpoints");
    given = before;
    QCOMPARE(checkpoint_directory(), checkpoints());
  }

  // --- names ---

  void namesThatAreNoFilesAreRefused_data() {
    QTest::addColumn<QByteArray>("name");
    for (const char* name : {"", ".hidden", "a/b", "/", "manifest.json"})
      QTest::newRow(name[0] ? name : "empty") << QByteArray(name);
    QTest::newRow("zero byte") << QByteArray("a\0b", 3);
  }
  void namesThatAreNoFilesAreRefused() {
    QFETCH(QByteArray, name);
    VERIFY_THROWS("usage", "\" must have a plain file name as its name", Counter(name.toStdString()));
  }

  void eachNameIsOfOneState() {
    {
      Counter first("mine");
      VERIFY_THROWS("usage", "there is already a state \"mine\"", Counter("mine"));
    }
    Counter again("mine");  // the first is gone
  }

  // --- the form of small states ---

  void bothFormsAreReadWhateverWasWritten() {
    for (const auto form : {JsonState::Form::text, JsonState::Form::binary}) {
      std::stringstream saved;
      {
        Counter counter("form", form);
        counter.count = 0.1;
        counter.save(saved);
      }
      QCOMPARE(saved.str().front() == '{', form == JsonState::Form::text);
      Counter read("form", JsonState::Form::text);
      read.load(saved);
      QCOMPARE(read.count, 0.1);
    }
  }

  void whatIsNoStateIsRefused_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("refusal");
    QTest::newRow("nothing") << QByteArray() << QByteArray("corrupt: the state \"form\" is damaged");
    QTest::newRow("half") << QByteArray("{\"version\":1") << QByteArray("corrupt: ");
    QTest::newRow("no version") << QByteArray("{\"count\":1}") << QByteArray("corrupt: ");
    QTest::newRow("another state's") << QByteArray("{\"version\":1}") << QByteArray("corrupt: ");
    QTest::newRow("half in binary") << QByteArray("\xa2\x65", 2) << QByteArray("corrupt: ");
    QTest::newRow("newer") << QByteArray("{\"version\":2,\"count\":1}")
                           << QByteArray("version: the state \"form\" has version 2");
  }
  void whatIsNoStateIsRefused() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, refusal);
    Counter counter("form");
    std::istringstream in(text.toStdString());
    const std::string thrown = testing::thrown_by([&] { counter.load(in); });
    QVERIFY2(thrown.starts_with(refusal.toStdString()), thrown.c_str());
  }

  // --- the ledger ---

  void theLedgerOfBeforeGoesOn() {
    add_to_ledger(stretch(10, 20));
    add_to_ledger(stretch(20, 30));
    protocol::Manifest manifest;
    auto untold = take_ledger(manifest);
    QCOMPARE(untold.size(), 2u);
    QCOMPARE(manifest.ledger.size(), 2u);
    QCOMPARE(manifest.ledger_from, 3);
    QCOMPARE(manifest.ledger[0].generation, 3);
    QCOMPARE(manifest.ledger[1].generation, 4);
    QCOMPARE(manifest.ledger[1].entry.from, 10);
    QCOMPARE(manifest.ledger[1].entry.to, 30);
    // A checkpoint that could not be written leaves them to the next, before what came since.
    add_to_ledger(stretch(30, 40));
    requeue_ledger(std::move(untold));
    untold = take_ledger(manifest);
    QCOMPARE(untold, (std::vector{stretch(10, 20), stretch(20, 30), stretch(30, 40)}));
    QVERIFY(take_ledger(manifest).empty());
    QCOMPARE(manifest.ledger[1].entry.to, 40);
    requeue_ledger({stretch(10, 40)});
    send_ledger();
    send_ledger();
    QCOMPARE(told<protocol::LedgerEntry>(), std::vector{stretch(10, 40)});
  }

  // --- what is written ---

  void aCheckpointSaysWhatItHolds() {
    Counter counter("written");
    counter.count = 5;
    for (const char* reason : {"manual", "trigger"}) {
      add_to_ledger(stretch(40, 50));
      checkpoint::save_all_states(reason);
      const protocol::Manifest manifest = protocol::verify_checkpoint(newest());
      QCOMPARE(manifest.step, 12);
      QCOMPARE(manifest.epoch, 2);
      QCOMPARE(manifest.progress, 3.5);
      QCOMPARE(manifest.num_replicas, 1);
      QCOMPARE(manifest.generation, 4);
      QCOMPARE(manifest.reason, reason);
      QCOMPARE(manifest.pinned, std::string(reason) == "manual");
      QCOMPARE(manifest.files.size(), 1u);
      const auto written = told<protocol::CheckpointWritten>();
      QCOMPARE(written.size(), 1u);
      QCOMPARE(written[0].name, newest().filename().string());
      QCOMPARE(written[0].reason, reason);
      QCOMPARE(written[0].step, 12);
      QCOMPARE(written[0].epoch, 2);
      QCOMPARE(written[0].progress, 3.5);
      QCOMPARE(written[0].last_step, 100.0);
      QCOMPARE(written[0].bytes, manifest.files[0].bytes);
      QVERIFY(written[0].began > 0 && written[0].began <= written[0].mono);
    }
    protocol::Manifest manifest;
    QVERIFY(take_ledger(manifest).empty());  // they were told
  }

  // The others' ledgers would be told twice.
  void theLedgerIsRankZeros() {
    auto& environment = session().part<Process>().environment;
    environment.replica_rank = 1;
    add_to_ledger(stretch(50, 60));
    environment.replica_rank = 0;
    protocol::Manifest manifest;
    QVERIFY(take_ledger(manifest).empty());
  }

  void aCheckpointThatCannotBeWrittenKeepsTheLedgerUntold() {
    add_to_ledger(stretch(60, 70));
    Scripted broken("broken");
    broken.write = [](std::ostream&) { throw std::runtime_error("cannot say"); };
    const fs::path before = newest();
    QVERIFY_THROWS_EXCEPTION(std::runtime_error, checkpoint::save_all_states("manual"));
    QCOMPARE(newest(), before);
    QVERIFY(told<protocol::CheckpointWritten>().empty());
    protocol::Manifest manifest;
    QCOMPARE(take_ledger(manifest), std::vector{stretch(60, 70)});
  }

  // The second of two places is taken where the first is full, and only then.
  void aFullPlaceIsPassedOver_data() {
    const auto add = testing::columns<int, int, QString, QString>({"place", "failures", "fault", "end"});
    using Place = CheckpointJob::Place;
    const int disk = static_cast<int>(Place::disk), memory_first = static_cast<int>(Place::memory_or_disk),
              disk_first = static_cast<int>(Place::disk_or_memory);
    add("disk", disk, 0, "io", "disk");
    add("a full disk", disk, 1, "io", "io: full");
    add("memory", memory_first, 0, "io", "memory");
    add("full memory", memory_first, 1, "io", "disk");
    add("full memory and disk", memory_first, 2, "io", "io: full");
    add("no memory, by another fault", memory_first, 1, "conflict", "conflict: full");
    add("disk first", disk_first, 0, "io", "disk");
    add("a full disk first", disk_first, 1, "io", "memory");
    add("full disk and memory", disk_first, 2, "io", "io: full");
    add("no disk, by another fault", disk_first, 1, "conflict", "conflict: full");
  }
  void aFullPlaceIsPassedOver() {
    QFETCH(int, place);
    QFETCH(int, failures);
    QFETCH(QString, fault);
    QFETCH(QString, end);
    const fs::path memory = folder_.filePath("memory").toStdString();
    fs::create_directories(memory);
    const CheckpointStore store(checkpoints(), memory);
    int writes = 0;
    const auto write = [&](std::ostream& out) {
      if (++writes <= failures) throw Error(fault == "io" ? ErrorKind::io : ErrorKind::conflict, "full");
      out << "x";
    };
    std::string written;
    const std::string thrown = testing::thrown_by([&] {
      CheckpointJob job("exit", {{"x", write}});
      written = protocol::is_volatile(job.write(store, static_cast<CheckpointJob::Place>(place)), memory)
                    ? "memory"
                    : "disk";
    });
    QCOMPARE(written.empty() ? thrown : written, end.toStdString());
    QCOMPARE(told<protocol::CheckpointWritten>().size(), written.empty() ? 0u : 1u);
  }

  void eachStateIsSyncedBeforeAnyIsWritten() {
    struct Synced final : checkpoint::State {
      explicit Synced(const std::string& name) : State(name) {}
      void sync() override { synced = true; }
      void save(std::ostream& out) override { out << synced; }
      void load(std::istream&) override {}
      bool synced = false;
    };
    Synced first("first"), second("second");
    checkpoint::save_all_states("trigger");
    for (const char* name : {"first", "second"}) {
      std::string text;
      std::ifstream(newest() / name) >> text;
      QCOMPARE(text, "1");
    }
  }

  // --- from time to time ---

  void checkpointsAreDueByTheirInterval() {
    double& interval = session().part<Process>().environment.checkpoint_interval;
    for (const double never : {0.0, -1.0}) {
      interval = never;
      periodic::request_when_due(true);
      QCOMPARE(pending_request(), ExitRequest::nothing);
    }
    interval = 1e6;
    periodic::request_when_due(true);
    QCOMPARE(pending_request(), ExitRequest::nothing);
    interval = 1e-9;
    periodic::overtake();               // a planned one: the time begins anew
    periodic::request_when_due(false);  // not known to be good: it waits
    QCOMPARE(pending_request(), ExitRequest::nothing);
    periodic::request_when_due(true);
    QCOMPARE(pending_request(), ExitRequest::periodic_checkpoint);
    clear_request(ExitRequest::periodic_checkpoint);
    interval = 1e6;
    periodic::request_when_due(true);  // the one that was due; the next is far
    QCOMPARE(pending_request(), ExitRequest::periodic_checkpoint);
    clear_request(ExitRequest::periodic_checkpoint);
    periodic::request_when_due(true);
    QCOMPARE(pending_request(), ExitRequest::nothing);
    session().part<Process>().environment.replica_rank = 1;  // is asked by rank 0
    interval = 1e-9;
    periodic::overtake();
    periodic::request_when_due(true);
    QCOMPARE(pending_request(), ExitRequest::nothing);
    session().part<Process>().environment.replica_rank = 0;
  }

  void oneIsWrittenBesideTrainingAndNoOtherBegunMeanwhile() {
    double& interval = session().part<Process>().environment.checkpoint_interval;
    interval = 1e-9;
    Scripted slow("slow");
    std::promise<void> go_on;
    const std::shared_future<void> signal = go_on.get_future().share();
    slow.write = [signal](std::ostream& out) {
      signal.wait();
      out << "as it was";
    };
    periodic::overtake();
    periodic::checkpoint();
    periodic::request_when_due(true);
    QCOMPARE(pending_request(), ExitRequest::nothing);  // it is being written
    go_on.set_value();
    periodic::finish();
    QCOMPARE(protocol::verify_checkpoint(newest()).reason, "periodic");
    QVERIFY(told<protocol::Notice>().empty());  // where all is well
    periodic::request_when_due(true);
    QCOMPARE(pending_request(), ExitRequest::periodic_checkpoint);
    clear_request(ExitRequest::periodic_checkpoint);
    interval = 0;
  }

  // A state that makes no copy of its own is copied by what it writes.
  void aCopyIsOfTheMomentItWasMade() {
    Counter counter("copied");
    Scripted slow("slow");
    std::promise<void> go_on;
    const std::shared_future<void> signal = go_on.get_future().share();
    slow.write = [signal](std::ostream&) { signal.wait(); };
    counter.count = 5;
    periodic::checkpoint();
    counter.count = 6;
    go_on.set_value();
    periodic::finish();
    Counter read("read");
    std::ifstream in(newest() / "copied");
    read.load(in);
    QCOMPARE(read.count, 5.0);
    const fs::path before = newest();
    session().part<Process>().environment.replica_rank = 1;  // rank 0 writes
    periodic::checkpoint();
    periodic::finish();
    session().part<Process>().environment.replica_rank = 0;
    QCOMPARE(newest(), before);
    told<protocol::CheckpointWritten>();
  }

  // A copy that fails is a notice, and training goes on.
  void whatCannotBeCopiedIsTold() {
    struct Uncopied final : checkpoint::State {
      Uncopied() : State("uncopied") {}
      void save(std::ostream&) override { throw std::runtime_error("no memory for it"); }
      void load(std::istream&) override {}
    };
    Uncopied uncopied;
    periodic::checkpoint();
    periodic::finish();
    const auto notices = told<protocol::Notice>();
    QCOMPARE(notices.size(), 1u);
    QCOMPARE(notices[0].level, "warning");
    QCOMPARE(notices[0].text, "no periodic checkpoint: no memory for it");
  }

  void whatCannotBeWrittenIsToldOnceAndWhenItCanBeAgain() {
    Scripted broken("broken");
    broken.write = [](std::ostream&) { throw std::runtime_error("no room"); };
    for (int i = 0; i < 3; ++i) {
      periodic::checkpoint();
      periodic::finish();
    }
    auto notices = told<protocol::Notice>();
    QCOMPARE(notices.size(), 1u);
    QCOMPARE(notices[0].level, "warning");
    VERIFY_HOLDS(notices[0].text, "no periodic checkpoint; training goes on", "no room");
    broken.write = [](std::ostream& out) { out << "x"; };
    for (int i = 0; i < 2; ++i) {
      periodic::checkpoint();
      periodic::finish();
    }
    notices = told<protocol::Notice>();
    QCOMPARE(notices.size(), 1u);
    QCOMPARE(notices[0].text, "periodic checkpoints can be written again");
  }
};

BATCHSCOPE_TEST(TestStates)
#include "test_states.moc"
