// SPDX-License-Identifier: Apache-2.0
//
// Copies made while others write, room given back, and damage found.
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;
namespace fs = std::filesystem;

class TestMaintenance : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { folder_ = {}; }

  // However large it is and however often somebody commits.
  void copiesWhatIsBeingWritten() {
    constexpr int kFirst = 700'000;
    SampleWriter writer(folder_ / "runs/a/samples.db");
    writer.append(0, "loss", 1, std::vector<double>(kFirst, 1.0));
    writer.commit();
    std::atomic<bool> done = false;
    std::thread other([&] {
      for (int step = kFirst + 1; !done; ++step) {
        writer.append(0, "loss", step, step);
        if (step % 50 == 0) writer.commit();
      }
    });
    std::string fault;
    try {
      back_up(folder_ / "runs/a/samples.db", folder_ / "copy.db");
    } catch (const Error& error) {
      fault = error.what();
    }
    done = true;
    other.join();
    QCOMPARE(fault, std::string());
    QVERIFY(check(folder_ / "copy.db").empty());
    const std::vector<Sample> samples = SampleReader(folder_ / "copy.db").read("loss", 0);
    QVERIFY(samples.size() >= kFirst);
    for (std::size_t i = 0; i < samples.size(); ++i)
      QCOMPARE(samples[i].step, static_cast<std::int64_t>(i) + 1);
    QCOMPARE(kind_of([&] { back_up(folder_ / "runs/a/samples.db", folder_ / "copy.db"); }), "conflict");
    QCOMPARE(kind_of([&] { back_up(folder_ / "none.db", folder_ / "other.db"); }), "not_found");
    QVERIFY(!fs::exists(folder_ / "other.db"));
  }

  void aCopyThatFailsLeavesNothing() {
    write_file(folder_ / "text.db", std::string(5000, 't'));
    fs::create_directory(folder_ / "copies");
    QCOMPARE(kind_of([&] { back_up(folder_ / "none.db", folder_ / "copies/copy.db"); }), "not_found");
    QCOMPARE(kind_of([&] { back_up(folder_ / "text.db", folder_ / "copies/copy.db"); }), "corrupt");
    QVERIFY(fs::is_empty(folder_ / "copies"));
    QCOMPARE(kind_of([&] { back_up(folder_ / "none.db", folder_ / "nowhere/copy.db"); }), "not_found");
  }

  // A process with the same id was killed while it copied.
  void anUnfinishedCopyIsNotInTheWay() {
    { SampleWriter(folder_ / "samples.db").append(0, "loss", 1, 0.5); }
    const fs::path unfinished = (folder_ / "copy.db").string() + ".partial-" + std::to_string(getpid());
    write_file(unfinished, std::string(5000, 'x'));
    back_up(folder_ / "samples.db", folder_ / "copy.db");
    QCOMPARE(SampleReader(folder_ / "copy.db").read("loss", 0).size(), 1u);
    QVERIFY(!fs::exists(unfinished));
  }

  void aSizeIsThatOfTheFileWithItsLog() {
    QCOMPARE(size_on_disk(folder_ / "test.db"), 0);
    write_file(folder_ / "test.db-wal", std::string(30, 'x'));
    QCOMPARE(size_on_disk(folder_ / "test.db"), 30);
    write_file(folder_ / "test.db", std::string(500, 'x'));
    QCOMPARE(size_on_disk(folder_ / "test.db"), 530);
  }

  void givesRoomBack() {
    Catalogue catalogue(folder_ / "runs.db");
    const std::string kept = catalogue.create_run(named("kept")), gone = catalogue.create_run(named("gone"));
    for (int i = 0; i < 2000; ++i) catalogue.add_event(gone, 0, i, "info", std::string(200, 'x'));
    catalogue.remove_run(gone);
    const auto size = [&] { return fs::file_size(folder_ / "runs.db"); };
    vacuum(folder_ / "runs.db");
    QVERIFY(size() < 200'000);
    QCOMPARE(catalogue.runs().at(0).id, kept);
    QCOMPARE(kind_of([&] { vacuum(folder_ / "none.db"); }), "not_found");
  }

  void findsDamage() {
    {
      Catalogue catalogue(folder_ / "runs.db");
      const std::string id = catalogue.create_run(named("a"));
      for (int i = 0; i < 500; ++i) catalogue.add_event(id, 0, i, "info", std::string(200, 'x'));
    }
    QVERIFY(check(folder_ / "runs.db").empty());
    {
      std::fstream file(folder_ / "runs.db", std::ios::binary | std::ios::in | std::ios::out);
      file.seekp(static_cast<std::streamoff>(fs::file_size(folder_ / "runs.db") / 4096 / 2 * 4096));
      file << std::string(4096, '\xA5');
    }
    QVERIFY(!check(folder_ / "runs.db").empty());
    std::ofstream(folder_ / "text.db") << std::string(5000, 't');
    QVERIFY(!check(folder_ / "text.db").empty());
    QCOMPARE(kind_of([&] { check(folder_ / "none.db"); }), "not_found");
  }

  // Another's folder has the name under which the copy is made.
  void whatIsInTheWayOfACopyStays() {
    SampleWriter(folder_ / "samples.db").append(0, "loss", 1, 1.0);
    const fs::path other = (folder_ / "copy.db").string() + ".partial-" + std::to_string(getpid());
    write_file(other / "work", "years");
    VERIFY_THROWS("io", other.string(), back_up(folder_ / "samples.db", folder_ / "copy.db"));
    QCOMPARE(contents(other / "work"), std::string("years"));
    QVERIFY(!fs::exists(folder_ / "copy.db"));
  }

 private:
  Folder folder_;
};

BATCHSCOPE_TEST(TestMaintenance)
#include "test_maintenance.moc"
