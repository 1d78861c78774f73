// SPDX-License-Identifier: Apache-2.0
//
// Models that runs of this machine have left: whose, of which numbers of replicas, and what counts for none.
#include "batchscope/storage/machine_models.h"

#include "batchscope/storage/origins.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;

class TestMachineModels : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = {};
    file_ = folder_ / "runs.db";
    catalogue_.emplace(file_);
  }

  void theNewestRunComesFirst() {
    const std::string old = trained("a", 0.1), recent = trained("b", 0.2);
    const auto models = machine_models(file_);
    QCOMPARE(models.size(), 2u);
    QCOMPARE(models[0].run, recent);
    QCOMPARE(models[0].program, std::string("/bin/b"));
    QCOMPARE(models[0].model.contention, 0.2);
    QCOMPARE(models[1].run, old);
    QCOMPARE(machine_models(file_, 1).size(), 1u);
  }

  void numbersOfReplicasCountFromFiftySteps() {
    const std::string id = trained("a", 0.1);
    put_generation(id, 0, 2, 1, 100);
    put_generation(id, 1, 1, 101, 151);
    put_generation(id, 2, 2, 152, 300);
    put_generation(id, 3, 4, 301, 310);
    put_generation(id, 4, 8, 0, 0);
    QCOMPARE(machine_models(file_).front().replicas, (std::vector{1, 2}));
  }

  void runsOfOtherMachinesAreLeftOut() {
    const std::string here = trained("here", 0.1);
    const std::string imported = catalogue_->create_run(named("imported"));
    catalogue_->put_model(imported, 0, model(0.2));
    RecordPart part;
    part.record.run.id = "aaaaaaaa";
    part.record.run.spec = named("there");
    part.record.model = model(0.3);
    part.leases = {{{}, {}, "n1/cpu:0", 0, 100, 0, "start"}};
    Origins(file_).take("aaaaaaaa", {.host = "login", .folder = "/f", .followed = true}, std::vector{part});
    QCOMPARE(catalogue_->model("aaaaaaaa")->contention, 0.3);
    const auto models = machine_models(file_);
    QCOMPARE(models.size(), 1u);
    QCOMPARE(models.front().run, here);
  }

  void aModelThatCannotBeReadIsLeftOut() {
    const std::string damaged = trained("a", 0.1), sound = trained("b", 0.2);
    QVERIFY(meddle(file_, "UPDATE model SET message = '{' WHERE run = (SELECT key FROM run WHERE id = '" +
                              damaged + "')"));
    QCOMPARE(machine_models(file_).size(), 1u);
    for (const char* spec : {"[", "{}", R"({"program":7})"}) {
      QVERIFY(meddle(file_, "UPDATE run SET spec = '" + std::string(spec) + "' WHERE id = '" + sound + "'"));
      QCOMPARE(machine_models(file_).front().program, std::string());
    }
    const std::string other = protocol::encode(protocol::Notice{"info", "no model", 1});
    QVERIFY(meddle(file_, "UPDATE model SET message = '" + other + "'"));
    QVERIFY(machine_models(file_).empty());
  }

  void withoutACatalogueThereIsNone() {
    QVERIFY(machine_models(folder_ / "other.db").empty());
    QVERIFY(!std::filesystem::exists(folder_ / "other.db"));
  }

 private:
  static protocol::Model model(double contention) {
    protocol::Model model;
    model.perf = protocol::PerfParams{};
    model.contention = contention;
    return model;
  }

  std::string trained(const std::string& name, double contention) {
    protocol::RunSpec spec = named(name);
    spec.program = "/bin/" + name;
    const std::string id = catalogue_->create_run(spec);
    catalogue_->lease_devices(id, always({"cpu:0"}));
    catalogue_->put_model(id, 0, model(contention));
    return id;
  }

  void put_generation(const std::string& id, int number, int replicas, int first, int last) {
    Generation generation;
    generation.number = number;
    generation.replicas = replicas;
    generation.first_step = first;
    generation.last_step = last;
    catalogue_->put_generation(id, generation);
  }

  Folder folder_;
  std::filesystem::path file_;
  std::optional<Catalogue> catalogue_;
};

BATCHSCOPE_TEST(TestMachineModels)
#include "test_machine_models.moc"
