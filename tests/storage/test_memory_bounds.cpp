// SPDX-License-Identifier: Apache-2.0
//
// The bounds of memory that runs of a program have left: whose, and what counts for none.
#include "batchscope/storage/memory_bounds.h"

#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;

class TestMemoryBounds : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = {};
    file_ = folder_ / "runs.db";
    catalogue_.emplace(file_);
  }

  void theNewestRunOfTheProgramComesFirst() {
    const std::string old = trained("a", 90, "crashed: rank 0, out of memory");
    trained("b", 50, "crashed: rank 0, out of memory");
    const std::string recent = trained("a", 70, "finished");
    const auto bounds = memory_bounds(file_, "/bin/a");
    QCOMPARE(bounds.size(), 2u);
    QCOMPARE(bounds[0].run, recent);
    QVERIFY(!bounds[0].ran_out);
    QCOMPARE(bounds[0].bound, 70);
    QCOMPARE(bounds[1].run, old);
    QVERIFY(bounds[1].ran_out);
    QCOMPARE(bounds[1].devices, (Names{"cpu:0", "cpu:1"}));
    QCOMPARE(bounds[1].arguments, Names{"--lr"});
    QCOMPARE(bounds[1].working_directory, std::string("/home"));
  }

  void theNewestLocalBatchSizeIsToldWhereItIsKnown() {
    const std::string id = trained("a", 0, "finished");
    QCOMPARE(memory_bounds(file_, "/bin/a").front().fitted, 0);
    QVERIFY(meddle(file_,
                   "INSERT INTO latest SELECT key, 'local_batch_size', 64 FROM run WHERE id = '" + id + "'"));
    QCOMPARE(memory_bounds(file_, "/bin/a").front().fitted, 64);
    QVERIFY(meddle(file_, "UPDATE latest SET value = 1"));
    QCOMPARE(memory_bounds(file_, "/bin/a").front().fitted, 1);
    for (const char* none : {"NULL", "0.5", "-64", "1e18"}) {
      QVERIFY(meddle(file_, "UPDATE latest SET value = " + std::string(none)));
      QCOMPARE(memory_bounds(file_, "/bin/a").front().fitted, 0);
    }
  }

  void aRunThatHeldNoDevicesIsLeftOut() {
    catalogue_->create_run(spec("a", 70));
    QVERIFY(memory_bounds(file_, "/bin/a").empty());
  }

  void aSpecThatCannotBeReadIsLeftOut() {
    const std::string damaged = trained("a", 70, "finished"), wrong = trained("a", 60, "finished");
    trained("a", 90, "finished");
    QVERIFY(meddle(file_, "UPDATE run SET spec = '[' WHERE id = '" + damaged + "'"));
    QVERIFY(meddle(file_, "UPDATE run SET spec = '{\"program\":\"/bin/a\",\"replicas\":\"x\"}' WHERE id = '" +
                              wrong + "'"));
    QCOMPARE(memory_bounds(file_, "/bin/a").size(), 1u);
  }

  void withoutACatalogueThereIsNone() {
    QVERIFY(memory_bounds(folder_ / "other.db", "/bin/a").empty());
    QVERIFY(!std::filesystem::exists(folder_ / "other.db"));
  }

 private:
  static protocol::RunSpec spec(const std::string& name, std::int64_t bound) {
    protocol::RunSpec spec = named(name);
    spec.program = "/bin/" + name;
    spec.arguments = {"--lr"};
    spec.working_directory = "/home";
    spec.max_local_batch_size = bound;
    return spec;
  }

  std::string trained(const std::string& name, std::int64_t bound, const std::string& outcome) {
    const std::string id = catalogue_->create_run(spec(name, bound));
    catalogue_->lease_devices(id, always({"cpu:1", "cpu:0"}));
    Generation generation;
    generation.replicas = 1;
    generation.outcome = outcome;
    catalogue_->put_generation(id, generation);
    return id;
  }

  Folder folder_;
  std::filesystem::path file_;
  std::optional<Catalogue> catalogue_;
};

BATCHSCOPE_TEST(TestMemoryBounds)
#include "test_memory_bounds.moc"
