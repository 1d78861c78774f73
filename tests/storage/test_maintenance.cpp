// SPDX-License-Identifier: Apache-2.0
//
// Copies made while others write, room given back, and damage found.
#include <atomic>
#include <fstream>
#include <thread>

#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using test::Folder;
using test::kind_of;
namespace fs = std::filesystem;

namespace {

protocol::RunSpec spec(const std::string& name) {
  protocol::RunSpec made;
  made.name = name;
  return made;
}

}  // namespace

class TestMaintenance : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void copiesWhatIsBeingWritten() {
    const Folder folder;
    SampleWriter writer(folder / "runs/a/samples.db");
    for (int step = 1; step <= 5000; ++step) writer.append(0, "loss", step, step);
    writer.commit();
    std::atomic<bool> done = false;
    std::thread other([&] {
      for (int step = 5001; !done && step < 200'000; ++step) {
        writer.append(0, "loss", step, step);
        if (step % 50 == 0) writer.commit();
      }
    });
    std::string fault;
    try {
      back_up(folder / "runs/a/samples.db", folder / "copy.db");
    } catch (const Error& error) {
      fault = error.what();
    }
    done = true;
    other.join();
    QCOMPARE(fault, std::string());
    QVERIFY(check(folder / "copy.db").empty());
    const std::vector<Sample> samples = SampleReader(folder / "copy.db").read("loss", 0);
    QVERIFY(samples.size() >= 5000);
    for (std::size_t i = 0; i < samples.size(); ++i)
      QCOMPARE(samples[i].step, static_cast<std::int64_t>(i) + 1);
    QCOMPARE(kind_of([&] { back_up(folder / "runs/a/samples.db", folder / "copy.db"); }), "conflict");
    QCOMPARE(kind_of([&] { back_up(folder / "none.db", folder / "other.db"); }), "not_found");
    QVERIFY(!fs::exists(folder / "other.db"));
  }

  void givesRoomBack() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string kept = catalogue.create_run(spec("kept")), gone = catalogue.create_run(spec("gone"));
    for (int i = 0; i < 2000; ++i) catalogue.add_event(gone, 0, i, "info", std::string(200, 'x'));
    catalogue.remove_run(gone);
    const auto size = [&] { return fs::file_size(folder / "runs.db"); };
    vacuum(folder / "runs.db");
    QVERIFY(size() < 200'000);
    QCOMPARE(catalogue.runs().at(0).id, kept);
    QCOMPARE(kind_of([&] { vacuum(folder / "none.db"); }), "not_found");
  }

  void findsDamage() {
    const Folder folder;
    {
      Catalogue catalogue(folder / "runs.db");
      const std::string id = catalogue.create_run(spec("a"));
      for (int i = 0; i < 500; ++i) catalogue.add_event(id, 0, i, "info", std::string(200, 'x'));
    }
    QVERIFY(check(folder / "runs.db").empty());
    {
      std::fstream file(folder / "runs.db", std::ios::binary | std::ios::in | std::ios::out);
      file.seekp(static_cast<std::streamoff>(fs::file_size(folder / "runs.db") / 4096 / 2 * 4096));
      file << std::string(4096, '\xA5');
    }
    QVERIFY(!check(folder / "runs.db").empty());
    std::ofstream(folder / "text.db") << std::string(5000, 't');
    QVERIFY(!check(folder / "text.db").empty());
    QCOMPARE(kind_of([&] { check(folder / "none.db"); }), "not_found");
  }
};

BATCHSCOPE_TEST(TestMaintenance)
#include "test_maintenance.moc"
