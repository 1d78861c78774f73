// SPDX-License-Identifier: Apache-2.0
//
// Runs that were removed and can be had back.
#include "sleeper.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;

class TestTrash : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = {};
    catalogue_.emplace(folder_ / "runs.db");
  }

  void removedRunsAreKeptApart() {
    const std::string gone = catalogue_->create_run(named("gone")),
                      kept = catalogue_->create_run(named("kept"));
    catalogue_->set_state(gone, RunState::finished);
    catalogue_->add_event(gone, 0, 1, "info", "text");
    catalogue_->move_to_trash(gone);
    QCOMPARE(catalogue_->runs().size(), 1u);
    QCOMPARE(catalogue_->trash().size(), 1u);
    QCOMPARE(catalogue_->trash()[0].id, gone);
    QVERIFY(catalogue_->trash()[0].removed > 0);
    QVERIFY(catalogue_->run(gone)->removed > 0);
    QCOMPARE(catalogue_->events(gone).size(), 1u);
    QCOMPARE(catalogue_->resolve("latest").id, kept);
    VERIFY_THROWS("not_found", "batchscope restore " + gone, catalogue_->resolve("gone"));
    QCOMPARE(kind_of([&] { catalogue_->claim_supervisor(gone); }), "conflict");

    const double when = catalogue_->trash()[0].removed;
    catalogue_->move_to_trash(gone);
    QCOMPARE(catalogue_->trash()[0].removed, when);
    QCOMPARE(catalogue_->resolve_removed("latest").id, gone);
    QCOMPARE(catalogue_->resolve_removed("go").id, gone);
    QCOMPARE(kind_of([&] { catalogue_->resolve_removed("kept"); }), "not_found");
    catalogue_->restore(gone);
    QVERIFY(catalogue_->trash().empty());
    QCOMPARE(catalogue_->resolve("gone").id, gone);
    QCOMPARE(kind_of([&] { catalogue_->resolve_removed("latest"); }), "not_found");
  }

  void whatIsSupervisedStays() {
    const std::string id = catalogue_->create_run(named("a"));
    Sleeper other([&] { return Catalogue(folder_ / "runs.db").claim_supervisor(id); });
    QVERIFY(other.answer());
    QCOMPARE(kind_of([&] { catalogue_->move_to_trash(id); }), "conflict");
    QCOMPARE(kind_of([&] { catalogue_->remove_run(id); }), "conflict");
    other.kill();
    catalogue_->move_to_trash(id);
    catalogue_->remove_run(id);
    QVERIFY(!catalogue_->run(id));
    QCOMPARE(kind_of([&] { catalogue_->restore(id); }), "not_found");
  }

  void tagsChangeOneByOne() {
    const std::string id = catalogue_->create_run(named("a"));
    catalogue_->set_tags(id, {"b", "c"});
    catalogue_->change_tags(id, {"a", "b"}, {"c", "nothing"});
    QCOMPARE(catalogue_->run(id)->tags, (std::vector<std::string>{"a", "b"}));
    catalogue_->put_hyperparameters(id, {{"lr", "0.1"}});
    QCOMPARE(catalogue_->runs()[0].hyperparameters.at("lr"), std::string("0.1"));
  }

 private:
  Folder folder_;
  std::optional<Catalogue> catalogue_;
};

BATCHSCOPE_TEST(TestTrash)
#include "test_trash.moc"
