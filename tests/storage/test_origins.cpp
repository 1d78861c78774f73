// SPDX-License-Identifier: Apache-2.0
//
// Runs that were taken from elsewhere: where they came from, the job that trains them there, and the devices
// that they have on other nodes.
#include "batchscope/storage/origins.h"

#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;

class TestOrigins : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = {};
    file_ = folder_ / "runs.db";
    catalogue_.emplace(file_);
    origins_.emplace(file_);
  }

  void aJobIsKeptWhileTheRecordIsTaken() {
    take(followed_, {part()});
    QVERIFY(!origins_->find(kRun)->job);
    origins_->set_job(kRun, kJob);
    take(followed_, {part()});
    QCOMPARE(*origins_->find(kRun)->job, kJob);
    QCOMPARE(origins_->followed().size(), 1u);
    QCOMPARE(*origins_->followed().at(kRun).job, kJob);
    const std::string own = catalogue_->create_run(named("own"));
    VERIFY_THROWS("not_found", own, origins_->set_job(own, kJob));
    VERIFY_THROWS("not_found", "nosuch", origins_->set_job("nosuch", kJob));
  }

  void aRecordIsTakenOnce() {
    RecordPart told = part();
    told.record.events = {{0, 100, 0, 1, "info", "said twice"}, {0, 100, 0, 1, "info", "said twice"}};
    take(followed_, {told, told});  // a record repeats what may have been lost
    QCOMPARE(catalogue_->events(kRun).size(), 2u);
    told.record.events.push_back({0, 101, 0, 2, "info", "new"});
    for (int twice = 0; twice < 2; ++twice) take(followed_, {told});
    QCOMPARE(catalogue_->events(kRun).size(), 3u);
    QCOMPARE(catalogue_->events(kRun).back().text, std::string("new"));
  }

  void whatAPartDoesNotTellStays() {
    const auto stretch = [](std::int64_t from) {
      return Ledger{0, {"train-0", 0, 0, from, from + 10, 0, 100, from}};
    };
    RecordPart told = part();
    told.ledger_from = 0;
    told.record.ledger = {stretch(0), stretch(10)};
    told.checkpoints = std::vector{Checkpoint{"checkpoint-000001", 0, 1, 0, 1, 1e9, 1, 1, "manual"}};
    told.record.model.emplace().grad_sqr = 2;
    take(followed_, {told});
    take(followed_, {part()});
    QVERIFY(catalogue_->ledger(kRun) == told.record.ledger);
    QCOMPARE(catalogue_->checkpoints(kRun).size(), 1u);
    QCOMPARE(catalogue_->model(kRun)->grad_sqr, 2.0);

    told = part();
    told.ledger_from = 1;
    told.record.ledger = {stretch(20)};
    told.checkpoints = std::vector{Checkpoint{"checkpoint-000002", 0, 2, 0, 1, 1e9, 1, 1, "manual"}};
    take(followed_, {told});
    QVERIFY((catalogue_->ledger(kRun) == std::vector<Ledger>{stretch(0), stretch(20)}));
    QCOMPARE(catalogue_->checkpoints(kRun).size(), 1u);
    QCOMPARE(catalogue_->checkpoints(kRun)[0].name, std::string("checkpoint-000002"));
  }

  void onlyWhatCameFromElsewhereIsTakenFromThere() {
    take(followed_, {});  // nothing has been said of it
    QVERIFY(!catalogue_->run(kRun) && !origins_->find(kRun));
    const std::string own = catalogue_->create_run(named("own"));
    VERIFY_THROWS("conflict", "began in this store", origins_->take(own, followed_, std::vector{part()}));
    Origin ours = followed_;
    ours.followed = false;
    take(ours, {part()});
    QVERIFY(catalogue_->claim_supervisor(kRun));
    VERIFY_THROWS("conflict", "trains here", take(ours, {part()}));
    catalogue_->release_supervisor(kRun);
    take(ours, {part()});
    catalogue_->set_state(kRun, RunState::running);
    QCOMPARE(catalogue_->run(kRun)->state, RunState::interrupted);  // for nobody here trains it
  }

  void theCommandThatControlsItIsKept() {
    take(followed_, {part()});
    Origin silent = followed_;
    silent.control.clear();
    take(silent, {part()});
    QCOMPARE(origins_->find(kRun)->control, followed_.control);
    origins_->set_control(kRun, {"other"});
    QCOMPARE(origins_->find(kRun)->control, Names{"other"});
    const std::string own = catalogue_->create_run(named("own"));
    VERIFY_THROWS("not_found", "belongs to this store", origins_->set_control(own, {}));
    catalogue_->set_state(kRun, RunState::stopped);
    catalogue_->move_to_trash(kRun);
    QVERIFY(origins_->followed().empty());
  }

  void whereItTrainsIsSaid() {
    const Origin here{.folder = "/scratch/aaaaaaaa"}, there{.host = "login", .folder = "/s/aaaaaaaa"};
    QCOMPARE(place_of(here), std::string("/scratch/aaaaaaaa"));
    QCOMPARE(place_of(there), std::string("login:/s/aaaaaaaa"));
    VERIFY_HOLDS(trains_elsewhere(kRun, here), "in /scratch/aaaaaaaa: ", "batchscope follow /scratch/");
    VERIFY_HOLDS(trains_elsewhere(kRun, there), "on login, in /s/aaaaaaaa: ", "batchscope follow login:/s/");
    VERIFY_HOLDS(trains_elsewhere(kRun, {.folder = "/mlruns/7"}), "was imported from /mlruns/7");
  }

  void devicesOfOtherNodesEndWithTheirRows() {
    take(followed_,
         {part({{{}, {}, "n1/cpu:0", 0, 100, 0, "start"}, {{}, {}, "n2/cpu:0", 0, 100, 0, "start"}})});
    QCOMPARE(catalogue_->run(kRun)->devices, (Names{"n1/cpu:0", "n2/cpu:0"}));
    QVERIFY(catalogue_->leases().empty());  // none of this machine's
    const std::vector<LeaseEvent> now{{{}, {}, "n2/cpu:0", 0, 100, 150, "start"},
                                      {{}, {}, "n2/cpu:0", 1, 160, 0, "rescale"}};
    for (int twice = 0; twice < 2; ++twice) take(followed_, {part(now)});
    QCOMPARE(catalogue_->lease_events(0).size(), 3u);
    QCOMPARE(catalogue_->lease_events(0).at(1).until, 150.0);
    QCOMPARE(catalogue_->run(kRun)->devices, (Names{"n1/cpu:0", "n2/cpu:0"}));
  }

  void whoWaitsOrIsTakenOverHasNoDevices() {
    take(followed_, {part({{{}, {}, "n1/cpu:0", 0, 100, 0, "start"}})});
    origins_->set_job(kRun, {.number = "7", .state = "RUNNING"});
    QCOMPARE(catalogue_->run(kRun)->devices, Names{"n1/cpu:0"});
    origins_->set_job(kRun, kJob);
    QVERIFY(catalogue_->run(kRun)->devices.empty());
    take(followed_, {part({{{}, {}, "n1/cpu:0", 1, 180, 0, "resume"}})});
    origins_->set_job(kRun, {.number = "", .state = "RUNNING"});  // no job any more
    QVERIFY(catalogue_->run(kRun)->devices.empty());
    take(followed_, {part({{{}, {}, "n1/cpu:0", 2, 200, 0, "resume"}})});
    Origin ours = followed_;
    ours.followed = false;
    take(ours, {});
    QVERIFY(catalogue_->lease_events(0).back().until > 0);
    QVERIFY(origins_->followed().empty());
  }

  void aStoreOfVersion7IsRead() {
    take(followed_, {part()});
    origins_.reset();
    catalogue_.reset();
    QVERIFY(meddle(file_,
                   "ALTER TABLE origin DROP COLUMN job; ALTER TABLE generation DROP COLUMN predicted_error; "
                   "DROP TABLE pool_node; PRAGMA user_version = 7"));
    Origins origins(file_);
    const Origin kept = origins.find(kRun).value();
    QCOMPARE(kept.host, followed_.host);
    QCOMPARE(kept.control, followed_.control);
    QVERIFY(!kept.job);
    origins.set_job(kRun, kJob);
    QCOMPARE(*origins.find(kRun)->job, kJob);
  }

  void damageIsTold() {
    take(followed_, {part()});
    for (const char* job : {"{", "[]", "{\"cluster\":1}"}) {
      QVERIFY(meddle(file_, std::string("UPDATE origin SET job = '") + job + "'"));
      VERIFY_THROWS("corrupt", "cannot be read", origins_->find(kRun));
    }
  }

 private:
  static constexpr char kRun[] = "aaaaaaaa";
  inline static const ClusterJob kJob{"hpc", "gpu", "12", "PENDING", "Resources", 1e9, "1-3"};

  static RecordPart part(std::vector<LeaseEvent> leases = {}) {
    RecordPart part;
    part.record.run.id = kRun;
    part.record.run.name = "there";
    part.record.run.spec = named("there");
    part.record.run.state = RunState::running;
    part.leases = std::move(leases);
    return part;
  }
  void take(const Origin& origin, const std::vector<RecordPart>& parts) {
    origins_->take(kRun, origin, parts);
  }

  Folder folder_;
  std::filesystem::path file_;
  const Origin followed_{
      .host = "login", .folder = "/shared/aaaaaaaa", .followed = true, .control = {"ssh", "it's"}};
  std::optional<Catalogue> catalogue_;
  std::optional<Origins> origins_;
};

BATCHSCOPE_TEST(TestOrigins)
#include "test_origins.moc"
