// SPDX-License-Identifier: Apache-2.0
//
// The catalogue: what is put comes back, runs are found by what people type, one supervisor holds a run.
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <thread>

#include "sleeper.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using test::error_of;
using test::Folder;
using test::kind_of;
using test::meddle;
using test::Sleeper;

namespace {

protocol::RunSpec spec(const std::string& name) {
  protocol::RunSpec spec;
  spec.name = name;
  spec.program = "/usr/bin/true";
  spec.arguments = {"--data", "a b", "\"quoted\""};
  spec.replicas = 2;
  spec.triggers = {protocol::Trigger::parse("step=400:checkpoint")};
  spec.environment = {{"KEY", "value"}};
  return spec;
}

}  // namespace

class TestCatalogue : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aRunComesBackAsItWasMade() {
    const Folder folder;
    const double before = now();
    const std::string id = Catalogue(folder / "deep/down/runs.db").create_run(spec("digits"));
    const Run run = Catalogue(folder / "deep/down/runs.db").run(id).value();
    QCOMPARE(run.id, id);
    QCOMPARE(run.name, std::string("digits"));
    QCOMPARE(run.state, RunState::starting);
    QVERIFY(run.created >= before && run.created <= now());
    QCOMPARE(run.ended, 0.0);
    QCOMPARE(run.replicas, 2);
    QCOMPARE(run.spec.arguments, spec("").arguments);
    QCOMPARE(run.spec.triggers, spec("").triggers);
    QCOMPARE(run.spec.environment, spec("").environment);
    QVERIFY(!Catalogue(folder / "deep/down/runs.db").run("nothere0"));
  }

  void whatCouldNotBeReadAgainIsNotWritten() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string id = catalogue.create_run(spec("sound"));
    protocol::RunSpec bad = spec("bad");
    bad.efficiency_floor = NAN;
    QCOMPARE(kind_of([&] { catalogue.create_run(bad); }), "usage");
    QCOMPARE(kind_of([&] { catalogue.set_spec(id, bad); }), "usage");
    QCOMPARE(kind_of([&] { keep_spec(folder.path(), bad); }), "usage");
    RunRecord record = catalogue.record(id);
    record.run.id = "abcd1234";
    record.run.state = RunState::stopped;
    record.run.spec = bad;
    QCOMPARE(kind_of([&] { catalogue.add_record(record); }), "usage");
    QCOMPARE(catalogue.runs().size(), 1u);
    QCOMPARE(catalogue.run(id)->spec.efficiency_floor, 0.5);
    QVERIFY(catalogue.trash().empty());
    QVERIFY(!std::filesystem::exists(folder / "run.json"));
  }

  void aRowThatCannotBeReadIsAloneInThat_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("why");
    const auto row = [](const char* name, const char* change, const char* why) {
      QTest::newRow(name) << QString("UPDATE run SET ") + change + " WHERE name = 'bad'" << QString(why);
    };
    row("broken text", "spec = '{'", "specification");
    row("no spec", "spec = ''", "specification");
    row("a null", R"(spec = '{"efficiency_floor":null}')", "efficiency_floor");
    row("out of range", R"(spec = '{"replicas":0}')", "replicas");
    row("deep", "spec = replace(printf('%5000d', 0), ' ', '[')", "specification");
    row("state", "state = 'flying'", "flying");
    row("a text for a number", "epoch = 'many'", "'epoch' holds a text");
    row("a number for a text", "state = x'00'", "'state' holds bytes");
    row("too large", "epochs = 1 << 40", "'epochs' holds 1099511627776");
    row("no time", "created = 9e999", "'created'");
    row("id", "id = '../..'", "id");
  }
  void aRowThatCannotBeReadIsAloneInThat() {
    QFETCH(QString, change);
    QFETCH(QString, why);
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string before = catalogue.create_run(spec("before"));
    std::string bad = catalogue.create_run(spec("bad"));
    const std::string behind = catalogue.create_run(spec("behind"));
    catalogue.set_tags(bad, {"kept"});
    // As a file would be that was not made by SQLite's rules.
    QVERIFY(meddle(folder / "runs.db",
                   "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql ="
                   " replace(sql, 'STRICT', '') WHERE name = 'run'"));
    QVERIFY(meddle(folder / "runs.db", change.toStdString()));
    if (change.contains("id =")) bad = "../..";

    QCOMPARE(catalogue.runs().size(), 3u);
    const Run run = catalogue.resolve("bad");
    QCOMPARE(run.id, bad);
    QCOMPARE(run.state, RunState::damaged);
    QVERIFY2(QByteArray(run.message.c_str()).contains(why.toUtf8()), run.message.c_str());
    QCOMPARE(run.tags, std::vector<std::string>{"kept"});
    QCOMPARE(catalogue.run(bad)->state, RunState::damaged);
    QCOMPARE(kind_of([&] { require_sound(run); }), "corrupt");
    QCOMPARE(kind_of([&] { catalogue.record(bad); }), "corrupt");
    for (const std::string& id : {before, behind}) {
      QCOMPARE(catalogue.resolve(id).spec.replicas, 2);
      catalogue.set_state(id, RunState::finished);
      catalogue.record(id);
    }
    catalogue.remove_run(bad);
    QVERIFY(!catalogue.run(bad));
    QCOMPARE(catalogue.runs().size(), 2u);
  }

  void aDamagedRunGoesThroughTheTrash() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string bad = catalogue.create_run(spec("bad"));
    QVERIFY(meddle(folder / "runs.db", "UPDATE run SET spec = '{'"));
    catalogue.move_to_trash(bad);
    QVERIFY(catalogue.runs().empty());
    QCOMPARE(catalogue.resolve_removed("bad").state, RunState::damaged);
    catalogue.restore(bad);
    QCOMPARE(catalogue.runs().at(0).state, RunState::damaged);
  }

  void aHistoryThatCannotBeReadConcernsOneRun() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string bad = catalogue.create_run(spec("bad")), good = catalogue.create_run(spec("good"));
    for (const std::string& id : {bad, good}) {
      Generation generation;
      catalogue.put_generation(id, generation);
      generation.number = 1;
      catalogue.put_generation(id, generation);
      catalogue.put_epoch(id, {});
      catalogue.add_event(id, 0, 1, "info", "text");
      catalogue.put_checkpoint(id, {});
      catalogue.add_ledger(id, 0, {});
      catalogue.put_model(id, 0, {});
    }
    QVERIFY(meddle(folder / "runs.db",
                   "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '')"));
    QVERIFY(meddle(folder / "runs.db",
                   "UPDATE generation SET started = 'once' WHERE number = 0 AND run = 1;"
                   "UPDATE epoch SET last_step = 'the last' WHERE run = 1;"
                   "UPDATE event SET step = 'x' WHERE run = 1;"
                   "UPDATE checkpoint SET bytes = 'much' WHERE run = 1;"
                   "UPDATE ledger SET pass = 1 << 40 WHERE run = 1;"
                   "UPDATE model SET message = '{' WHERE run = 1"));
    for (const auto& read :
         {std::function<void(const std::string&)>([&](const std::string& id) { catalogue.generations(id); }),
          {[&](const std::string& id) { catalogue.epochs(id); }},
          {[&](const std::string& id) { catalogue.events(id); }},
          {[&](const std::string& id) { catalogue.checkpoints(id); }},
          {[&](const std::string& id) { catalogue.ledger(id); }},
          {[&](const std::string& id) { catalogue.model(id); }}}) {
      const auto error = test::error_of([&] { read(bad); });
      QVERIFY(error && error->kind() == ErrorKind::corrupt);
      QVERIFY2(QByteArray(error->what()).contains(bad.c_str()), error->what());
      read(good);
    }
    QCOMPARE(catalogue.runs().size(), 2u);
    QCOMPARE(catalogue.run(bad)->state, RunState::interrupted == catalogue.run(good)->state
                                            ? RunState::interrupted
                                            : RunState::starting);
  }

  void whatIsSetComesBack() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string id = catalogue.create_run(spec("digits"));
    catalogue.set_progress(id, 10, 1, 5, 0.2, {{"loss", 0.5}, {"accuracy", 0.9}});
    const double nan = std::numeric_limits<double>::quiet_NaN();
    catalogue.set_progress(id, 12, 1, 5, 0.25, {{"loss", nan}, {"gain", INFINITY}});
    catalogue.set_name(id, "other");
    catalogue.set_note(id, "Größe\nzwei");
    catalogue.set_tags(id, {"b", "a", "b"});
    catalogue.set_state(id, RunState::failed, "rank 1 fell");
    const Run run = catalogue.run(id).value();
    QCOMPARE(run.step, 12);
    QCOMPARE(run.epoch, 1);
    QCOMPARE(run.epochs, 5);
    QCOMPARE(run.fraction, 0.25);
    QVERIFY(std::isnan(run.latest.at("loss")));
    QCOMPARE(run.latest.at("accuracy"), 0.9);
    QCOMPARE(run.latest.at("gain"), static_cast<double>(INFINITY));
    QCOMPARE(run.name, std::string("other"));
    QCOMPARE(run.note, std::string("Größe\nzwei"));
    QCOMPARE(run.tags, (std::vector<std::string>{"a", "b"}));
    QCOMPARE(run.state, RunState::failed);
    QCOMPARE(run.message, std::string("rank 1 fell"));
    QVERIFY(run.ended > 0);
    catalogue.set_state(id, RunState::paused);
    QCOMPARE(catalogue.run(id)->ended, 0.0);
    QCOMPARE(catalogue.run(id)->message, std::string());
  }

  void theHistoryComesBack() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string id = catalogue.create_run(spec("digits"));
    Generation generation{1, 3, "rescale", 100.5, 0, 41, 0, "checkpoint-000040", -1, {}, ""};
    catalogue.put_generation(id, {0, 2, "start", 90, 100, 1, 40, "", -1, {}, "checkpointed"});
    catalogue.put_generation(id, generation);
    QCOMPARE(catalogue.run(id)->replicas, 3);
    generation.pause = 0.25;
    generation.pause_parts = {{"checkpoint", 0.1}, {"launch", 0.15}};
    generation.last_step = 80;
    generation.outcome = "crashed: rank 1, signal 9";
    catalogue.put_generation(id, generation);
    const auto generations = catalogue.generations(id);
    QCOMPARE(generations.size(), 2u);
    QCOMPARE(generations[0].outcome, std::string("checkpointed"));
    QCOMPARE(generations[1].pause, 0.25);
    QCOMPARE(generations[1].pause_parts, generation.pause_parts);
    QCOMPARE(generations[1].checkpoint, std::string("checkpoint-000040"));
    QCOMPARE(generations[1].outcome, generation.outcome);

    catalogue.put_epoch(id, {0, 0, 90, 0, 1, 0});
    catalogue.put_epoch(id, {0, 0, 90, 99, 1, 40});
    catalogue.put_epoch(id, {0, 1, 101, 0, 41, 0});
    QCOMPARE(catalogue.epochs(id).size(), 2u);
    QCOMPARE(catalogue.epochs(id)[0].last_step, 40);
    QCOMPARE(catalogue.epochs(id)[1].generation, 1);

    catalogue.put_checkpoint(id, {"checkpoint-000040", 0, 40, 1, 20.5, 100, 0.1, 4096, "rescale"});
    catalogue.put_checkpoint(id, {"checkpoint-000080", 1, 80, 2, 41, 140, 0.1, 4096, "manual"});
    QCOMPARE(catalogue.checkpoints(id).front().name, std::string("checkpoint-000080"));
    QCOMPARE(catalogue.checkpoints(id).back().progress, 20.5);
    catalogue.remove_checkpoint(id, "checkpoint-000080");
    QCOMPARE(catalogue.checkpoints(id).size(), 1u);

    catalogue.add_ledger(id, 1, {"train-0", 2, 1, 64, 128, 3, 12000, 44});
    const Ledger ledger = catalogue.ledger(id).at(0);
    QCOMPARE(ledger.generation, 1);
    QCOMPARE(ledger.entry.loader, std::string("train-0"));
    QCOMPARE(ledger.entry.from, 64);
    QCOMPARE(ledger.entry.to, 128);
    QCOMPARE(ledger.entry.padding, 3);
    QCOMPARE(ledger.entry.step, 44);

    catalogue.put_hyperparameters(id, {{"lr", "0.1"}, {"momentum", "0.9"}});
    catalogue.put_hyperparameters(id, {{"lr", "0.2"}});
    QCOMPARE(catalogue.hyperparameters(id).at("lr"), std::string("0.2"));
    QCOMPARE(catalogue.hyperparameters(id).size(), 2u);

    QVERIFY(!catalogue.model(id));
    protocol::Model model;
    model.perf = {1, 2, 3, 4, 5, 6, 7};
    model.grad_var = INFINITY;
    model.init_batch_size = 64;
    catalogue.put_model(id, 0, model);
    model.step = 9;
    catalogue.put_model(id, 1, model);
    QCOMPARE(catalogue.model(id)->step, 9);
    QCOMPARE(catalogue.model(id)->perf, model.perf);
    QVERIFY(std::isinf(catalogue.model(id)->grad_var));
  }

  void aLedgerGoesBack() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string a = catalogue.create_run(spec("a")), b = catalogue.create_run(spec("b"));
    for (const std::int64_t step : {1, 2, 3}) {
      catalogue.add_ledger(a, 0, {"train-0", 0, 0, step - 1, step, 0, 100, step});
      catalogue.add_ledger(b, 0, {"train-0", 0, 0, step - 1, step, 0, 100, step});
    }
    const std::vector<Ledger> whole = catalogue.ledger(a);
    for (const std::size_t kept : {3, 1}) {  // what is there, and its beginning
      catalogue.set_ledger(a, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(kept)});
      QCOMPARE(catalogue.ledger(a).size(), kept);
      QCOMPARE(catalogue.ledger(a).back().entry.step, static_cast<std::int64_t>(kept));
    }
    const std::vector<Ledger> other{{0, {"train-0", 0, 0, 0, 1, 0, 100, 1}},
                                    {1, {"train-0", 0, 0, 1, 50, 0, 100, 9}},
                                    {2, {"train-0", 0, 0, 50, 100, 0, 100, 12}}};
    catalogue.set_ledger(a, other);
    QVERIFY(catalogue.ledger(a) == other);
    QCOMPARE(catalogue.ledger(b).size(), 3u);
    catalogue.set_ledger(a, {});
    QVERIFY(catalogue.ledger(a).empty());
  }

  void eventsAreTailed() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string a = catalogue.create_run(spec("a")), b = catalogue.create_run(spec("b"));
    catalogue.add_event(a, 0, 1, "info", "started");
    catalogue.add_event(b, 0, 1, "info", "elsewhere");
    catalogue.add_event(a, 0, 7, "warning", "slow");
    const auto events = catalogue.events(a);
    QCOMPARE(events.size(), 2u);
    QCOMPARE(events[1].text, std::string("slow"));
    QCOMPARE(events[1].level, std::string("warning"));
    QCOMPARE(events[1].step, 7);
    QCOMPARE(catalogue.events(a, events[0].id).size(), 1u);
    QVERIFY(catalogue.events(a, events[1].id).empty());
  }

  void runsAreListedNewestFirstAndResolved() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    QCOMPARE(kind_of([&] { catalogue.resolve("latest"); }), "not_found");
    const std::string first = catalogue.create_run(spec("digits"));
    const std::string second = catalogue.create_run(spec("digits-wide"));
    const std::string third = catalogue.create_run(spec("cifar"));
    const auto runs = catalogue.runs();
    QCOMPARE(runs.size(), 3u);
    QCOMPARE(runs[0].id, third);
    QCOMPARE(runs[2].id, first);
    QCOMPARE(catalogue.resolve("latest").id, third);
    QCOMPARE(catalogue.resolve(second).id, second);
    QCOMPARE(catalogue.resolve("digits").id, first);  // the whole name wins over a prefix of others
    QCOMPARE(catalogue.resolve("digits-").id, second);
    QCOMPARE(catalogue.resolve("cif").id, third);
    const auto ambiguous = error_of([&] { catalogue.resolve("dig"); });
    QCOMPARE(ambiguous->kind(), ErrorKind::usage);
    QVERIFY(std::string(ambiguous->what()).find(first + " (digits)") != std::string::npos);
    QVERIFY(std::string(ambiguous->what()).find(second + " (digits-wide)") != std::string::npos);
    QCOMPARE(kind_of([&] { catalogue.resolve("nothing%"); }), "not_found");
    QCOMPARE(kind_of([&] { catalogue.resolve(""); }), "usage");
    catalogue.create_run(spec("cifar"));
    QCOMPARE(kind_of([&] { catalogue.resolve("cifar"); }), "usage");
  }

  void removingTakesTheRowsAndNothingElse() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string gone = catalogue.create_run(spec("a")), kept = catalogue.create_run(spec("a"));
    for (const std::string& id : {gone, kept}) {
      catalogue.put_generation(id, {0, 2, "start", 1, 0, 0, 0, "", 0.5, {{"stop", 0.5}}, ""});
      catalogue.add_event(id, 0, 1, "info", "text");
      catalogue.set_tags(id, {"t"});
    }
    catalogue.remove_run(gone);
    QVERIFY(!catalogue.run(gone));
    QCOMPARE(catalogue.runs().size(), 1u);
    QCOMPARE(catalogue.events(kept).size(), 1u);
    QCOMPARE(catalogue.generations(kept).at(0).pause_parts.size(), 1u);
    for (const auto& call : std::vector<std::function<void()>>{
             [&] { catalogue.remove_run(gone); }, [&] { catalogue.set_note(gone, ""); },
             [&] { catalogue.events(gone); }, [&] { catalogue.add_event(gone, 0, 0, "info", ""); },
             [&] { catalogue.set_state(gone, RunState::running); }})
      QCOMPARE(kind_of(call), "not_found");
  }

  void oneSupervisorHoldsARun() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string id = catalogue.create_run(spec("a"));
    Sleeper other([&] { return Catalogue(folder / "runs.db").claim_supervisor(id); });
    QVERIFY(other.answer());
    QVERIFY(!catalogue.claim_supervisor(id));
    QCOMPARE(catalogue.run(id)->supervisor_pid, static_cast<std::int64_t>(other.pid()));
    QCOMPARE(kind_of([&] { catalogue.remove_run(id); }), "conflict");
    catalogue.release_supervisor(id);  // not ours to release
    QVERIFY(!catalogue.claim_supervisor(id));
    catalogue.set_state(id, RunState::running);
    QCOMPARE(catalogue.run(id)->state, RunState::running);
    other.kill();
    QCOMPARE(catalogue.run(id)->state, RunState::interrupted);
    QCOMPARE(catalogue.run(id)->supervisor_pid, 0);
    QVERIFY(catalogue.claim_supervisor(id));
    QVERIFY(catalogue.claim_supervisor(id));
    QCOMPARE(catalogue.run(id)->state, RunState::running);
    catalogue.set_state(id, RunState::finished);
    catalogue.release_supervisor(id);
    QCOMPARE(catalogue.run(id)->state, RunState::finished);
  }

  void twoClaimsAtTheSameMomentAreOne() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    for (int round = 0; round < 5; ++round) {
      const std::string id = catalogue.create_run(spec("a"));
      const auto claim = [&] { return Catalogue(folder / "runs.db").claim_supervisor(id); };
      std::vector<std::unique_ptr<Sleeper>> sleepers;
      int claims = 0;
      for (int i = 0; i < 4; ++i) sleepers.push_back(std::make_unique<Sleeper>(claim));
      for (const auto& sleeper : sleepers) claims += sleeper->answer();
      QCOMPARE(claims, 1);
    }
  }

  void aRecycledProcessIdIsNoSupervisor() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string id = catalogue.create_run(spec("a"));
    Sleeper other([&] { return Catalogue(folder / "runs.db").claim_supervisor(id); });
    catalogue.set_state(id, RunState::running);
    QVERIFY(meddle(folder / "runs.db", "UPDATE run SET supervisor_start = supervisor_start - 1"));
    QCOMPARE(catalogue.run(id)->state, RunState::interrupted);
    QVERIFY(catalogue.claim_supervisor(id));
  }

  void aNewRunMayWaitForItsSupervisor() {
    const Folder folder;
    Catalogue catalogue(folder / "runs.db");
    const std::string id = catalogue.create_run(spec("a"));
    QCOMPARE(catalogue.run(id)->state, RunState::starting);
    QVERIFY(meddle(folder / "runs.db", "UPDATE run SET created = created - 3600"));
    QCOMPARE(catalogue.run(id)->state, RunState::interrupted);
  }

  void othersCommitsAreNoticed() {
    const Folder folder;
    Catalogue here(folder / "runs.db"), there(folder / "runs.db");
    QVERIFY(!here.changed());
    const std::string id = there.create_run(spec("a"));
    QVERIFY(here.changed());
    QVERIFY(!here.changed());
    here.set_note(id, "mine");
    QVERIFY(!here.changed());
    QVERIFY(there.changed());
  }

  void manyProcessesWriteAtOnce() {
    const Folder folder;
    constexpr int kProcesses = 4, kEach = 40;
    std::vector<pid_t> children;
    for (int i = 0; i < kProcesses; ++i) {
      children.push_back(fork());
      if (children.back() != 0) continue;
      try {
        Catalogue catalogue(folder / "runs.db");  // made by whoever comes first
        const std::string id = catalogue.create_run(spec("p" + std::to_string(i)));
        for (int k = 0; k < kEach; ++k) catalogue.add_event(id, 0, k, "info", "event");
        _exit(0);
      } catch (const std::exception& e) {
        fprintf(stderr, "%s\n", e.what());
        _exit(1);
      }
    }
    for (const pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      QCOMPARE(status, 0);
    }
    Catalogue catalogue(folder / "runs.db");
    QCOMPARE(catalogue.runs().size(), static_cast<std::size_t>(kProcesses));
    for (const Run& run : catalogue.runs())
      QCOMPARE(catalogue.events(run.id).size(), static_cast<std::size_t>(kEach));
  }
};

BATCHSCOPE_TEST(TestCatalogue)
#include "test_catalogue.moc"
