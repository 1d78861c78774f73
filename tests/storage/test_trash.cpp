// SPDX-License-Identifier: Apache-2.0
//
// Runs that were removed and can be had back.
#include "sleeper.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using test::error_of;
using test::Folder;
using test::kind_of;

namespace {

protocol::RunSpec spec(const std::string& name) {
  protocol::RunSpec made;
  made.name = name;
  made.program = "/bin/true";
  return made;
}

}  // namespace

class TestTrash : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void removedRunsAreKeptApart() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string gone = catalogue.create_run(spec("gone")), kept = catalogue.create_run(spec("kept"));
    catalogue.set_state(gone, RunState::finished);
    catalogue.add_event(gone, 0, 1, "info", "text");
    catalogue.move_to_trash(gone);
    QCOMPARE(catalogue.runs().size(), 1u);
    QCOMPARE(catalogue.trash().size(), 1u);
    QCOMPARE(catalogue.trash()[0].id, gone);
    QVERIFY(catalogue.trash()[0].removed > 0);
    QVERIFY(catalogue.run(gone)->removed > 0);
    QCOMPARE(catalogue.events(gone).size(), 1u);
    QCOMPARE(catalogue.resolve("latest").id, kept);
    const auto error = error_of([&] { catalogue.resolve("gone"); });
    QCOMPARE(error->kind(), ErrorKind::not_found);
    QVERIFY(std::string(error->what()).find("batchscope restore " + gone) != std::string::npos);
    QCOMPARE(kind_of([&] { catalogue.claim_supervisor(gone); }), "conflict");

    const double when = catalogue.trash()[0].removed;
    catalogue.move_to_trash(gone);
    QCOMPARE(catalogue.trash()[0].removed, when);
    QCOMPARE(catalogue.resolve_removed("latest").id, gone);
    QCOMPARE(catalogue.resolve_removed("go").id, gone);
    QCOMPARE(kind_of([&] { catalogue.resolve_removed("kept"); }), "not_found");
    catalogue.restore(gone);
    QVERIFY(catalogue.trash().empty());
    QCOMPARE(catalogue.resolve("gone").id, gone);
    QCOMPARE(kind_of([&] { catalogue.resolve_removed("latest"); }), "not_found");
  }

  void whatIsSupervisedStays() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string id = catalogue.create_run(spec("a"));
    test::Sleeper other([&] { return Catalogue(folder / "runs.db").claim_supervisor(id); });
    QVERIFY(other.answer());
    QCOMPARE(kind_of([&] { catalogue.move_to_trash(id); }), "conflict");
    QCOMPARE(kind_of([&] { catalogue.remove_run(id); }), "conflict");
    other.kill();
    catalogue.move_to_trash(id);
    catalogue.remove_run(id);
    QVERIFY(!catalogue.run(id));
    QCOMPARE(kind_of([&] { catalogue.restore(id); }), "not_found");
  }

  void tagsChangeOneByOne() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string id = catalogue.create_run(spec("a"));
    catalogue.set_tags(id, {"b", "c"});
    catalogue.change_tags(id, {"a", "b"}, {"c", "nothing"});
    QCOMPARE(catalogue.run(id)->tags, (std::vector<std::string>{"a", "b"}));
    catalogue.put_hyperparameters(id, {{"lr", "0.1"}});
    QCOMPARE(catalogue.runs()[0].hyperparameters.at("lr"), std::string("0.1"));
  }
};

BATCHSCOPE_TEST(TestTrash)
#include "test_trash.moc"
