// SPDX-License-Identifier: Apache-2.0
//
// A record that grows, and the store that takes it in: whatever moment a writer or a reader is killed in,
// what comes out is what went in.
#include <signal.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <random>
#include <set>

#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/private_files.h"
#include "command_test.h"
#include "records/record_file.h"
#include "records/record_taker.h"
#include "records/record_writer.h"
#include "rows.h"
#include "store_test.h"

using namespace batchscope;
using namespace batchscope::cli;
namespace fs = std::filesystem;

class TestRecord : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    newSandbox();
    qputenv("BATCHSCOPE_DB", sandbox_->database().toUtf8());
    id_ = makeRun({.tags = {"paper"}, .hyperparameters = {{"lr", "0.1"}}, .steps = 12});
    run_ = id_.toStdString();
    file_ = sandbox_->path("record.jsonl").toStdString();
  }
  void cleanup() { qunsetenv("BATCHSCOPE_DB"); }

  // Changes of a run come with the next lines; a ledger is cut, an epoch ends, values come late.
  void takesWhatIsNew() {
    storage::Catalogue catalogue = this->catalogue();
    Sandbox other;
    Taken taken(*this, other);
    {
      RecordWriter writer(file_, run_);
      writer.update(catalogue);
      taken.takeAll();
      taken.compare();
      change(catalogue, 0);
      writer.update(catalogue);
    }
    taken.takeAll();
    taken.compare();
    for (int i = 1; i < 6; ++i) {
      change(catalogue, i);
      RecordWriter(file_, run_).update(catalogue);
      if (i % 2 == 0) taken.takeAll();
    }
    taken.takeAll();
    taken.compare();
    const std::string text = testing::contents(file_);
    RecordWriter(file_, run_).update(catalogue);
    QCOMPARE(testing::contents(file_), text);  // nothing was new
    QVERIFY(taken.troubles().empty());
  }

  // A writer is killed at any byte, and the next one goes on; whoever reads both takes all, once.
  void aWriterMayBeKilledAtAnyByte() {
    storage::Catalogue catalogue = this->catalogue();
    RecordWriter(file_, run_).update(catalogue);
    change(catalogue, 0);
    RecordWriter(file_, run_).update(catalogue);
    RecordWriter(file_, run_).finish();
    const std::string text = testing::contents(file_);
    for (std::size_t cut = 0; cut < text.size(); cut += 7) {  // each one takes a minute
      testing::write_file(file_, text.substr(0, cut));
      RecordWriter writer(file_, run_);
      writer.update(catalogue);
      QCOMPARE(samplesOf(testing::contents(file_)), samplesOf(text));
      if (cut % 11 != 0) continue;
      writer.finish();
      Sandbox other;
      Taken taken(*this, other);
      taken.takeAll();
      taken.compare();
    }
  }

  // A reader is killed at any byte, at times between its two commits; the next one begins where the catalogue
  // says.
  void aReaderMayBeKilledAtAnyByte() {
    storage::Catalogue catalogue = this->catalogue();
    RecordWriter(file_, run_).update(catalogue);
    for (int i = 0; i < 3; ++i) {
      change(catalogue, i);
      RecordWriter(file_, run_).update(catalogue);
    }
    const std::string text = testing::contents(file_);
    std::mt19937 random(1);
    Sandbox other;
    Taken taken(*this, other);
    for (std::size_t at = 0; at < text.size(); at += 1 + random() % 200)
      taken.takeUpTo(at, random() % 4 == 0);
    taken.takeAll();
    taken.compare();
    QVERIFY(taken.troubles().empty());
  }

  // Readers report a line that is damaged in the midst; the next writer writes again what it held.
  void aDamagedLineIsPassedOverAndMended() {
    storage::Catalogue catalogue = this->catalogue();
    RecordWriter(file_, run_).update(catalogue);
    std::string text = testing::contents(file_);
    const auto at = text.find("{\"from\"");
    QVERIFY(at != std::string::npos);
    text[at + 3] = '"';
    testing::write_file(file_, text);
    Sandbox other;
    Taken taken(*this, other);
    taken.takeAll();
    QCOMPARE(taken.troubles().size(), 1u);
    QVERIFY(taken.troubles()[0].starts_with("1 line"));
    RecordWriter(file_, run_).update(catalogue);
    taken.takeAll();
    taken.compare();
  }

  // Two writers at a time tell everything twice; readers take it once.
  void twoWritersAreHeardAsOne() {
    storage::Catalogue catalogue = this->catalogue();
    RecordWriter first(file_, run_), second(file_, run_);
    for (int i = 0; i < 3; ++i) {
      change(catalogue, i);
      first.update(catalogue);
      second.update(catalogue);
    }
    Sandbox other;
    Taken taken(*this, other);
    taken.takeAll();
    taken.compare();
  }

  void isReadByAnOrdinaryImport() {
    storage::Catalogue catalogue = this->catalogue();
    for (int i = 0; i < 3; ++i) {
      change(catalogue, i);
      RecordWriter(file_, run_).update(catalogue);
    }
    QCOMPARE(ask({"export", id_, "--follow", "-o", "record.jsonl"}).code, kExitOk);
    Sandbox other;
    VERIFY_CODE(kExitOk, other.ask({"import", QString::fromStdString(file_.string())}));
    QCOMPARE(exported(other), exported(*sandbox_));
  }

  // The command: killed at random moments while a run goes on.
  void theCommandMayBeKilledAtAnyMoment() {
    const QString busy = makeBusyRun(40);
    const std::string id = busy.toStdString();
    storage::Catalogue catalogue = this->catalogue();
    std::mt19937 random(7);
    for (int i = 0; i < 4; ++i) {
      const auto process = sandbox_->start({"export", busy, "--follow", "-o", "busy.jsonl"});
      QVERIFY(process->waitForStarted());
      for (const unsigned moments = 5 + random() % 20;
           !process->waitForFinished(static_cast<int>(moments) * 20);) {
        catalogue.add_event(id, 1, 40 + i, "info", "event " + std::to_string(i));
        ::kill(static_cast<pid_t>(process->processId()), SIGKILL);
      }
    }
    const auto last = sandbox_->start({"export", busy, "--follow", "-o", "busy.jsonl", "--json"});
    QVERIFY(last->waitForStarted());
    QVERIFY(!last->waitForFinished(500));  // it goes on while the run does
    catalogue.set_state(id, protocol::RunState::finished);
    catalogue.release_supervisor(id);
    const Answer answer = Sandbox::finish(*last);
    QCOMPARE(answer.code, kExitOk);
    QCOMPARE(answer.json()["samples"].toInt(), 43);
    QVERIFY(contents("busy.jsonl").endsWith("{\"end\":{\"samples\":43}}\n"));
  }

  void sigtermWritesWhatIsThere() {
    const QString busy = makeBusyRun(10);
    const auto process = sandbox_->start({"export", busy, "--follow", "-o", "busy.jsonl"});
    QVERIFY(QTest::qWaitFor([&] { return contents("busy.jsonl").contains("loss"); }, Sandbox::kPatienceMs));
    catalogue().add_event(busy.toStdString(), 1, 10, "info", "the last");
    process->terminate();
    QCOMPARE(Sandbox::finish(*process).code, kExitOk);
    QVERIFY(contents("busy.jsonl").contains("the last"));
    QVERIFY(contents("busy.jsonl").endsWith("{\"end\":{\"samples\":13}}\n"));
    catalogue().release_supervisor(busy.toStdString());
  }

  void aRunFolderIsTakenAndBroughtUpToDate() {
    const QString folder = runFolder();
    const fs::path record = (folder + "/record.jsonl").toStdString();
    storage::Catalogue catalogue = this->catalogue();
    Sandbox node;
    VERIFY_CODE(kExitOk, node.ask({"import", "--run-folder", folder}));  // a new run
    QCOMPARE(node.runs()[0].toObject()["state"].toString(), "stopped");
    RecordWriter(record, run_).update(catalogue);
    VERIFY_CODE(kExitOk, node.ask({"import", "--run-folder", folder}));
    change(catalogue, 1);
    RecordWriter(record, run_).update(catalogue);
    VERIFY_CODE(kExitOk, node.ask({"import", "--run-folder", folder, "--json"}));
    QCOMPARE(node.ask({"import", "--run-folder", folder, "--json"}).json()["samples"].toInt(), 0);
    QCOMPARE(exported(node), exported(*sandbox_));
    for (const char* name : {"checkpoints", "logs", "share"})
      QCOMPARE(QFileInfo(node.path("runs/" + id_ + "/" + name)).symLinkTarget(), folder + "/" + name);
    // Not the folder's files go with the run.
    testing::write_file((folder + "/checkpoints/mine").toStdString(), "x");
    VERIFY_CODE(kExitOk, node.ask({"rm", "--purge", "--yes", id_}));
    QVERIFY(QFile::exists(folder + "/checkpoints/mine"));
  }

  void refusesFoldersThatAreNone() {
    const QString folder = runFolder();
    VERIFY_REFUSED(kExitConflict, "began in this store", ask({"import", "--run-folder", folder}));
    Sandbox node;
    VERIFY_REFUSED(kExitUsage, "run's id", node.ask({"import", "--run-folder", sandbox_->path(".")}));
    VERIFY_REFUSED(kExitNotFound, "No such", node.ask({"import", "--run-folder", folder + "x"}));
    VERIFY_REFUSED(kExitUsage, "--run-folder", node.ask({"import"}));
    ::chmod(folder.toUtf8(), 0777);
    VERIFY_REFUSED(kExitConflict, "chmod go-w", node.ask({"import", "--run-folder", folder}));
    ::chmod(folder.toUtf8(), 0700);

    storage::Catalogue catalogue = this->catalogue();
    const std::string record = (folder + "/record.jsonl").toStdString();
    RecordWriter(record, run_).update(catalogue);
    std::string text = testing::contents(record);
    const std::string version = "\"version\":1";
    testing::write_file(record,
                        std::string(text).replace(text.find(version), version.size(), "\"version\":2"));
    VERIFY_REFUSED(kExitCorrupt, "newer", node.ask({"import", "--run-folder", folder}));
    const QString other = makeRun({.name = "other"});
    fs::remove(record);
    RecordWriter(record, other.toStdString()).update(catalogue);
    VERIFY_REFUSED(kExitConflict, "record of a run " + other, node.ask({"import", "--run-folder", folder}));

    // A run that trains here.
    testing::write_file(record, text);
    VERIFY_CODE(kExitOk, node.ask({"import", "--run-folder", folder}));
    storage::Catalogue there(node.database().toStdString());
    QVERIFY(there.claim_supervisor(run_));
    VERIFY_REFUSED(kExitConflict, "trains here", node.ask({"import", "--run-folder", folder}));
    there.release_supervisor(run_);
  }

 private:
  // The run's, without the ids of events, which are cursors of their stores, and with its program.
  QString exported(const Sandbox& store) const {
    store.ask({"export", id_, "-o", "whole.jsonl", "--force"});
    QString text = QString::fromStdString(testing::contents(store.path("whole.jsonl").toStdString()));
    static const QRegularExpression eventId("\"id\":\\d+,");
    return text.remove(eventId).remove("imported:");
  }

  // Returns the samples of a record, as a set that a reader makes of it.
  static std::multiset<std::string> samplesOf(const std::string& text) {
    std::multiset<std::string> all;
    std::map<std::pair<std::string, int>, std::int64_t> told;
    protocol::LineSplitter splitter;
    for (const std::string& line : splitter.feed(text)) try {
        const RecordLine parsed = parseRecordLine(line);
        if (const auto* block = std::get_if<RecordBlock>(&parsed)) {
          std::int64_t& count = told[{block->series, block->generation}];
          if (block->from != count) qFatal("a block is not where it belongs");
          count += std::ssize(block->samples);
          for (const storage::Sample& sample : block->samples)
            all.insert(block->series + std::to_string(block->generation) + "/" + std::to_string(sample.step) +
                       "/" + std::to_string(sample.value));
        }
      } catch (const Error&) {
      }
    return all;
  }

  // The store of somebody who takes the record.
  class Taken {
   public:
    Taken(const TestRecord& test, const Sandbox& store) : test_(test), store_(store) {}

    void takeAll() { takeUpTo(SIZE_MAX, false); }
    // `killed`: before the catalogue had heard of it.
    void takeUpTo(std::size_t end, bool killed) {
      qputenv("BATCHSCOPE_DB", store_.database().toUtf8());
      storage::Origins origins(protocol::catalogue_path());
      storage::Origin origin{.folder = "/elsewhere/" + test_.run_, .followed = true};
      if (const auto before = origins.find(test_.run_)) origin.taken = before->taken;
      {
        RecordTaker taker(test_.run_, origin);
        const std::string text = testing::contents(test_.file_).substr(0, end);
        taker.feed(std::string_view(text).substr(std::min<std::size_t>(origin.taken, text.size())));
        if (!killed) taker.commit();  // else its samples alone are committed
        for (const std::string& trouble : taker.troubles()) troubles_.push_back(trouble);
      }
      qputenv("BATCHSCOPE_DB", test_.sandbox_->database().toUtf8());
    }
    void compare() const { QCOMPARE(test_.exported(store_), test_.exported(*test_.sandbox_)); }
    const std::vector<std::string>& troubles() const { return troubles_; }

   private:
    const TestRecord& test_;
    const Sandbox& store_;
    std::vector<std::string> troubles_;
  };

  // Makes change number i of a run that goes on.
  void change(storage::Catalogue& catalogue, int i) const {
    const int generation = 2 + i / 2, step = 13 + i;
    catalogue.put_generation(
        run_, {generation, 1, "crash", 1000.5 + i, 0, 13, step, "", 0.5, {{"stop", 0.25}}, ""});
    catalogue.put_epoch(run_, {i / 2, generation, 1000.25, i % 2 ? 2000.0 : 0, 1, step});
    catalogue.add_event(run_, generation, step, "warning", "number " + std::to_string(i));
    catalogue.put_checkpoint(
        run_, {"checkpoint-" + std::to_string(i), generation, step, 1, 2.5, 1000.0 + i, 1, 5, "exit"});
    if (i > 1) catalogue.remove_checkpoint(run_, "checkpoint-" + std::to_string(i - 2));
    auto ledger = catalogue.ledger(run_);
    if (i % 3 == 2) ledger.resize(ledger.size() / 2);  // a crash takes some back
    protocol::LedgerEntry entry;
    entry.loader = "train";
    entry.from = 10 * i;
    entry.to = 10 * i + 10;
    entry.step = step;
    ledger.push_back({generation, entry});
    catalogue.set_ledger(run_, ledger);
    catalogue.set_progress(run_, step, i, 9, 0.1 * i, {{"loss", 1.0 / (1 + i)}, {"gain", NAN}});
    catalogue.put_hyperparameters(run_, {{"changed", std::to_string(i)}});
    catalogue.put_model(run_, generation, {});
    storage::SampleWriter writer(sandbox_->samples(id_).toStdString());
    for (int k = 0; k < 3; ++k)
      writer.append(generation, "loss", step + k, i == 1 && k == 1 ? NAN : 0.5 * k - i);
    writer.append(1, "strange", 2, -0.0);  // late, and not the first of its step
    writer.append(1, "strange", 2, -0.0);  // and once more
    writer.append(0, "new of it", -0 + i, 1.0 / 3);
  }

  // Makes a folder of the run as it is in the sandbox, without its record.
  QString runFolder() const {
    const QString folder = sandbox_->path("shared/" + id_);
    protocol::make_private_directories(folder.toStdString());
    storage::keep_spec(folder.toStdString(), catalogue().run(run_)->spec);
    return folder;
  }

  std::string run_;
  fs::path file_;
};

BATCHSCOPE_TEST(TestRecord)
#include "test_record.moc"
