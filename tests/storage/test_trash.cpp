// SPDX-License-Identifier: Apache-2.0
//
// Runs that were removed and can be had back.
#include <SQLiteCpp/SQLiteCpp.h>

#include <QTemporaryDir>

#include "batchscope/protocol/paths.h"
#include "hindered.h"
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

  void severalGoTogetherOrNotAtAll() {
    const Names ids{catalogue_->create_run(named("a")), catalogue_->create_run(named("b")),
                    catalogue_->create_run(named("c"))};
    Sleeper other([&] { return Catalogue(folder_ / "runs.db").claim_supervisor(ids[1]); });
    QVERIFY(other.answer());
    QCOMPARE(kind_of([&] { catalogue_->move_to_trash(ids); }), "conflict");
    QCOMPARE(catalogue_->runs().size(), 3u);
    QCOMPARE(kind_of([&] { catalogue_->move_to_trash(Names{ids[0], "nosuchid"}); }), "not_found");
    QCOMPARE(catalogue_->runs().size(), 3u);
    other.kill();
    catalogue_->move_to_trash(ids);
    QVERIFY(catalogue_->runs().empty());
    QCOMPARE(kind_of([&] { catalogue_->restore(Names{ids[0], "nosuchid"}); }), "not_found");
    QCOMPARE(catalogue_->trash().size(), 3u);
    catalogue_->restore(ids);
    QCOMPARE(catalogue_->runs().size(), 3u);
    QVERIFY(catalogue_->trash().empty());
  }

  void purgingLeavesNothing() {
    qputenv("BATCHSCOPE_DB", (folder_ / "runs.db").c_str());
    const std::string id = catalogue_->create_run(named("a"));
    const protocol::RunPaths paths = protocol::run_paths(id);
    protocol::make_run_directories(paths);
    write_file(paths.logs / "g0-r0.log", "words");
    catalogue_->move_to_trash(id);
    QCOMPARE(contents(paths.logs / "g0-r0.log"), std::string("words"));
    purge_run(*catalogue_, id);
    QVERIFY(!catalogue_->run(id));
    QVERIFY(!std::filesystem::exists(paths.root) && !std::filesystem::exists(paths.runtime));
    QCOMPARE(kind_of([&] { purge_run(*catalogue_, id); }), "not_found");
  }

  // A purge was interrupted, and its run got a folder again.
  void purgingTakesWhatAnotherHasLeft() {
    qputenv("BATCHSCOPE_DB", (folder_ / "runs.db").c_str());
    const std::string id = catalogue_->create_run(named("a"));
    const protocol::RunPaths paths = protocol::run_paths(id);
    const std::filesystem::path left = paths.root.string() + ".purged";
    for (const auto& folder : {paths.root, left}) {
      std::filesystem::create_directories(folder);
      write_file(folder / "words", "words");
    }
    purge_run(*catalogue_, id);
    QVERIFY(!catalogue_->run(id));
    QVERIFY(!std::filesystem::exists(paths.root) && !std::filesystem::exists(left));
  }

  // An id leads to the run's folder, but not out of the store.
  void aDamagedIdHasNoFolder() {
    qputenv("BATCHSCOPE_DB", (folder_ / "runs.db").c_str());
    const std::string id = catalogue_->create_run(named("a"));
    write_file(folder_ / "precious/work", "years");
    QVERIFY(meddle(folder_ / "runs.db", "UPDATE run SET id = '../precious'"));
    QCOMPARE(catalogue_->runs().at(0).state, RunState::damaged);
    purge_run(*catalogue_, "../precious");
    QVERIFY(catalogue_->runs().empty());
    QCOMPARE(contents(folder_ / "precious/work"), std::string("years"));
  }

  void purgingNeedsNoFolder() {
    qputenv("BATCHSCOPE_DB", (folder_ / "runs.db").c_str());
    const std::string id = catalogue_->create_run(named("a"));
    std::filesystem::remove_all(protocol::run_paths(id).root);
    purge_run(*catalogue_, id);
    QVERIFY(!catalogue_->run(id));
  }

  void whatIsSupervisedIsNotPurged() {
    qputenv("BATCHSCOPE_DB", (folder_ / "runs.db").c_str());
    const std::string id = catalogue_->create_run(named("a"));
    const protocol::RunPaths paths = protocol::run_paths(id);
    protocol::make_run_directories(paths);
    write_file(paths.logs / "g0-r0.log", "words");
    Sleeper other([&] { return Catalogue(folder_ / "runs.db").claim_supervisor(id); });
    QCOMPARE(kind_of([&] { purge_run(*catalogue_, id); }), "conflict");
    QCOMPARE(contents(paths.logs / "g0-r0.log"), std::string("words"));
    QVERIFY(catalogue_->trash().empty());
  }

  // `gc` has listed it before somebody restored it.
  void whatWasRestoredMeanwhileIsNotPurged() {
    qputenv("BATCHSCOPE_DB", (folder_ / "runs.db").c_str());
    const Names ids{catalogue_->create_run(named("a")), catalogue_->create_run(named("b"))};
    catalogue_->move_to_trash(ids);
    catalogue_->restore(ids[0]);
    VERIFY_THROWS("conflict", ids[0], purge_removed(*catalogue_, ids[0]));
    QVERIFY(catalogue_->run(ids[0]));
    purge_removed(*catalogue_, ids[1]);
    QVERIFY(!catalogue_->run(ids[1]));
  }

  // The rest is then under a name that gc knows, and no run is listed that is half there.
  void aFolderThatCannotGoIsLeftToGc() {
    qputenv("BATCHSCOPE_DB", (folder_ / "runs.db").c_str());
    const std::string id = catalogue_->create_run(named("a"));
    const protocol::RunPaths paths = protocol::run_paths(id);
    protocol::make_run_directories(paths);
    write_file(paths.logs / "g0-r0.log", "words");
    std::filesystem::permissions(paths.logs, std::filesystem::perms::owner_read);
    for (const auto& folder : {folder_.path(), paths.root.parent_path()})
      std::filesystem::permissions(folder, std::filesystem::perms::all);
    std::optional<testing::Unprivileged> hindered(std::in_place);
    const std::string thrown = testing::thrown_by([&] { purge_run(*catalogue_, id); });
    hindered.reset();
    QVERIFY2(thrown.starts_with("io: the folder ") && thrown.ends_with("`batchscope gc` tries again"),
             thrown.c_str());
    const std::filesystem::path left = paths.root.string() + ".purged";
    QVERIFY(!catalogue_->run(id) && !std::filesystem::exists(paths.root) && std::filesystem::exists(left));
    std::filesystem::permissions(left / "logs", std::filesystem::perms::owner_all);
    remove_folder(left);
  }

  // So that it can be tried again.
  void aPurgeThatFailsChangesNothing() {
    qputenv("BATCHSCOPE_DB", (folder_ / "runs.db").c_str());
    const std::string id = catalogue_->create_run(named("a"));
    const protocol::RunPaths paths = protocol::run_paths(id);
    protocol::make_run_directories(paths);
    write_file(paths.logs / "g0-r0.log", "words");
    catalogue_->move_to_trash(id);
    using std::filesystem::perms;
    std::filesystem::permissions(folder_.path(), perms::all);
    std::filesystem::permissions(paths.root.parent_path(), perms(0555));
    std::optional<testing::Unprivileged> hindered(std::in_place);
    const std::string thrown = testing::thrown_by([&] { purge_removed(*catalogue_, id); });
    hindered.reset();
    std::filesystem::permissions(paths.root.parent_path(), perms::owner_all);
    QVERIFY2(thrown.starts_with("io: run " + id + " stays in the trash"), thrown.c_str());
    QCOMPARE(catalogue_->trash().size(), 1u);
    QCOMPARE(contents(paths.logs / "g0-r0.log"), std::string("words"));
    purge_removed(*catalogue_, id);
    QVERIFY(!catalogue_->run(id) && !std::filesystem::exists(paths.root));
  }

  // It is in the trash for good, and its folder has its own name.
  void aPurgeThatCannotWriteChangesNothing() {
    qputenv("BATCHSCOPE_DB", (folder_ / "runs.db").c_str());
    const std::string id = catalogue_->create_run(named("a"));
    const protocol::RunPaths paths = protocol::run_paths(id);
    protocol::make_run_directories(paths);
    write_file(paths.logs / "g0-r0.log", "words");
    SQLite::Database other((folder_ / "runs.db").string(), SQLite::OPEN_READWRITE);
    other.exec("CREATE TRIGGER kept BEFORE DELETE ON run BEGIN SELECT RAISE(ABORT, 'kept'); END");
    QVERIFY(!kind_of([&] { purge_run(*catalogue_, id); }).empty());
    QCOMPARE(catalogue_->trash().size(), 1u);
    QCOMPARE(contents(paths.logs / "g0-r0.log"), std::string("words"));
    other.exec("DROP TRIGGER kept");
    purge_run(*catalogue_, id);
    QVERIFY(!catalogue_->run(id) && !std::filesystem::exists(paths.root));
  }

  void lessonsRunsAreNobodysLatest() {
    const std::string lesson = catalogue_->create_run(named("gain"));
    catalogue_->set_tags(lesson, {"lesson:gain"});
    QVERIFY(is_lesson(*catalogue_->run(lesson)));
    QCOMPARE(kind_of([&] { catalogue_->resolve("latest"); }), "not_found");
    QCOMPARE(catalogue_->resolve("gain").id, lesson);
    const std::string own = catalogue_->create_run(named("gain"));
    catalogue_->set_tags(own, {"lesson-like"});
    QVERIFY(!is_lesson(*catalogue_->run(own)));
    QCOMPARE(catalogue_->resolve("gain").id, own);
    QCOMPARE(catalogue_->resolve("latest").id, own);
    QCOMPARE(catalogue_->resolve(lesson).id, lesson);
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
