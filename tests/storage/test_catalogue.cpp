// SPDX-License-Identifier: Apache-2.0
//
// The catalogue: what is put comes back, runs are found by what people type, one supervisor holds a run.
#include <cmath>
#include <fstream>
#include <limits>
#include <thread>

#include "rows.h"
#include "sleeper.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;

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
  void init() {
    folder_ = {};
    catalogue_.emplace(folder_ / "runs.db");
  }

  void aRunComesBackAsItWasMade() {
    const double before = now();
    const std::string id = Catalogue(folder_ / "deep/down/runs.db").create_run(spec("digits"));
    const Run run = Catalogue(folder_ / "deep/down/runs.db").run(id).value();
    QCOMPARE(run.id, id);
    QCOMPARE(run.name, std::string("digits"));
    QCOMPARE(run.state, RunState::starting);
    QVERIFY(run.created >= before && run.created <= now());
    QCOMPARE(run.ended, 0.0);
    QCOMPARE(run.replicas, 2);
    QCOMPARE(run.spec.arguments, spec("").arguments);
    QCOMPARE(run.spec.triggers, spec("").triggers);
    QCOMPARE(run.spec.environment, spec("").environment);
    QVERIFY(!Catalogue(folder_ / "deep/down/runs.db").run("nothere0"));
  }

  void whatCouldNotBeReadAgainIsNotWritten() {
    const std::string id = catalogue_->create_run(spec("sound"));
    protocol::RunSpec bad = spec("bad");
    bad.efficiency_floor = NAN;
    QCOMPARE(kind_of([&] { catalogue_->create_run(bad); }), "usage");
    QCOMPARE(kind_of([&] { catalogue_->set_spec(id, bad); }), "usage");
    QCOMPARE(kind_of([&] { keep_spec(folder_.path(), bad); }), "usage");
    RunRecord record = catalogue_->record(id);
    record.run.id = "abcd1234";
    record.run.state = RunState::stopped;
    record.run.spec = bad;
    QCOMPARE(kind_of([&] { catalogue_->add_record(record); }), "usage");
    QCOMPARE(catalogue_->runs().size(), 1u);
    QCOMPARE(catalogue_->run(id)->spec.efficiency_floor, 0.5);
    QVERIFY(catalogue_->trash().empty());
    QVERIFY(!std::filesystem::exists(folder_ / "run.json"));
  }

  void aRowThatCannotBeReadIsAloneInThat_data() {
    const auto add = testing::columns<QString, QString>({"change", "why"});
    const auto row = [&](const char* name, const QString& change, const QString& why) {
      add(name, "UPDATE run SET " + change + " WHERE name = 'bad'", why);
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
    row("a text for a time", "created = 'once'", "'created'");
    row("bytes for a number", "fraction = x'00'", "'fraction' holds bytes");
    row("a fraction for a whole number", "epoch = 1.5", "'epoch' holds a number");
    row("id", "id = '../..'", "id");
  }
  void aRowThatCannotBeReadIsAloneInThat() {
    QFETCH(QString, change);
    QFETCH(QString, why);
    const std::string before = catalogue_->create_run(spec("before"));
    std::string bad = catalogue_->create_run(spec("bad"));
    const std::string behind = catalogue_->create_run(spec("behind"));
    catalogue_->set_tags(bad, {"kept"});
    // Such a file was not made by SQLite's rules.
    QVERIFY(loosen(folder_ / "runs.db"));
    QVERIFY(meddle(folder_ / "runs.db", change.toStdString()));
    if (change.contains("id =")) bad = "../..";

    QCOMPARE(catalogue_->runs().size(), 3u);
    const Run run = catalogue_->resolve("bad");
    QCOMPARE(run.id, bad);
    QCOMPARE(run.state, RunState::damaged);
    VERIFY_HOLDS(run.message, why.toStdString());
    QCOMPARE(run.tags, std::vector<std::string>{"kept"});
    QCOMPARE(catalogue_->run(bad)->state, RunState::damaged);
    QCOMPARE(kind_of([&] { require_sound(run); }), "corrupt");
    QCOMPARE(kind_of([&] { catalogue_->record(bad); }), "corrupt");
    for (const std::string& id : {before, behind}) {
      QCOMPARE(catalogue_->resolve(id).spec.replicas, 2);
      catalogue_->set_state(id, RunState::finished);
      catalogue_->record(id);
    }
    catalogue_->remove_run(bad);
    QVERIFY(!catalogue_->run(bad));
    QCOMPARE(catalogue_->runs().size(), 2u);
  }

  void aDamagedRunSaysWhoSupervisesIt() {
    const std::string bad = catalogue_->create_run(spec("bad"));
    QVERIFY(catalogue_->claim_supervisor(bad));
    QVERIFY(meddle(folder_ / "runs.db", "UPDATE run SET spec = '{'"));
    QCOMPARE(catalogue_->run(bad)->state, RunState::damaged);
    QCOMPARE(catalogue_->run(bad)->supervisor_pid, getpid());
  }

  void aDamagedRunGoesThroughTheTrash() {
    const std::string bad = catalogue_->create_run(spec("bad"));
    QVERIFY(meddle(folder_ / "runs.db", "UPDATE run SET spec = '{'"));
    catalogue_->move_to_trash(bad);
    QVERIFY(catalogue_->runs().empty());
    QCOMPARE(catalogue_->resolve_removed("bad").state, RunState::damaged);
    catalogue_->restore(bad);
    QCOMPARE(catalogue_->runs().at(0).state, RunState::damaged);
  }

  void aHistoryThatCannotBeReadConcernsOneRun() {
    const std::string bad = catalogue_->create_run(spec("bad")), good = catalogue_->create_run(spec("good"));
    for (const std::string& id : {bad, good}) {
      Generation generation;
      catalogue_->put_generation(id, generation);
      generation.number = 1;
      catalogue_->put_generation(id, generation);
      catalogue_->put_epoch(id, {});
      catalogue_->add_event(id, 0, 1, "info", "text");
      catalogue_->put_checkpoint(id, {});
      catalogue_->add_ledger(id, 0, {});
      catalogue_->put_model(id, 0, {});
    }
    QVERIFY(loosen(folder_ / "runs.db"));
    QVERIFY(meddle(folder_ / "runs.db",
                   "UPDATE generation SET started = 'once' WHERE number = 0 AND run = 1;"
                   "UPDATE epoch SET last_step = 'the last' WHERE run = 1;"
                   "UPDATE event SET step = 'x' WHERE run = 1;"
                   "UPDATE checkpoint SET bytes = 'much' WHERE run = 1;"
                   "UPDATE ledger SET pass = 1 << 40 WHERE run = 1;"
                   "UPDATE model SET message = '{' WHERE run = 1"));
    for (const auto& read : {std::function<void(const std::string&)>(
                                 [&](const std::string& id) { catalogue_->generations(id); }),
                             {[&](const std::string& id) { catalogue_->epochs(id); }},
                             {[&](const std::string& id) { catalogue_->events(id); }},
                             {[&](const std::string& id) { catalogue_->checkpoints(id); }},
                             {[&](const std::string& id) { catalogue_->ledger(id); }},
                             {[&](const std::string& id) { catalogue_->model(id); }}}) {
      VERIFY_THROWS("corrupt", bad, read(bad));
      read(good);
    }
    QCOMPARE(catalogue_->runs().size(), 2u);
    QCOMPARE(catalogue_->run(bad)->state, RunState::interrupted == catalogue_->run(good)->state
                                              ? RunState::interrupted
                                              : RunState::starting);
  }

  void whatIsSetComesBack() {
    const std::string id = catalogue_->create_run(spec("digits"));
    catalogue_->set_progress(id, 10, 1, 5, 0.2, {{"loss", 0.5}, {"accuracy", 0.9}});
    const double nan = std::numeric_limits<double>::quiet_NaN();
    catalogue_->set_progress(id, 12, 1, 5, 0.25, {{"loss", nan}, {"gain", INFINITY}});
    catalogue_->set_name(id, "other");
    catalogue_->set_note(id, "Größe\nzwei");
    catalogue_->set_tags(id, {"b", "a", "b"});
    catalogue_->set_state(id, RunState::failed, "rank 1 fell");
    const Run run = catalogue_->run(id).value();
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
    catalogue_->set_state(id, RunState::paused);
    QCOMPARE(catalogue_->run(id)->ended, 0.0);
    QCOMPARE(catalogue_->run(id)->message, std::string());
    catalogue_->set_state(id, RunState::pending);
    QCOMPARE(catalogue_->run(id)->ended, 0.0);
  }

  void theHistoryComesBack() {
    const std::string id = catalogue_->create_run(spec("digits"));
    Generation generation{1, 3, "rescale", 100.5, 0, 41, 0, "checkpoint-000040", -1, {}, ""};
    catalogue_->put_generation(id, {0, 2, "start", 90, 100, 1, 40, "", -1, {}, "checkpointed"});
    catalogue_->put_generation(id, generation);
    QCOMPARE(catalogue_->run(id)->replicas, 3);
    generation.pause = 0.25;
    generation.pause_parts = {{"checkpoint", 0.1}, {"launch", 0.15}};
    generation.last_step = 80;
    generation.outcome = "crashed: rank 1, signal 9";
    generation.predicted_throughput = 20'000;
    generation.predicted_goodput = 18'400;
    generation.predicted_error = 0.25;
    generation.obtained_throughput = 19'000;
    catalogue_->put_generation(id, generation);
    const auto generations = catalogue_->generations(id);
    QCOMPARE(generations.size(), 2u);
    QCOMPARE(generations[0].outcome, std::string("checkpointed"));
    QCOMPARE(generations[1].pause, 0.25);
    QCOMPARE(generations[1].pause_parts, generation.pause_parts);
    QCOMPARE(generations[1].checkpoint, std::string("checkpoint-000040"));
    QCOMPARE(generations[1].outcome, generation.outcome);
    QCOMPARE(generations[0].predicted_goodput, -1.0);
    QCOMPARE(generations[1].predicted_throughput, 20'000.0);
    QCOMPARE(generations[1].predicted_goodput, 18'400.0);
    QCOMPARE(generations[0].predicted_error, -1.0);
    QCOMPARE(generations[1].predicted_error, 0.25);
    QCOMPARE(generations[1].obtained_throughput, 19'000.0);
    QCOMPARE(generations[1].obtained_goodput, -1.0);
    QCOMPARE(catalogue_->generations(id, 100).size(), 2u);  // the first ended then
    const auto later = catalogue_->generations(id, 100.5);
    QCOMPARE(later.size(), 1u);
    QCOMPARE(later[0].pause_parts, generation.pause_parts);

    catalogue_->put_epoch(id, {0, 0, 90, 0, 1, 0});
    catalogue_->put_epoch(id, {0, 0, 90, 99, 1, 40});
    catalogue_->put_epoch(id, {0, 1, 101, 0, 41, 0});
    QCOMPARE(catalogue_->epochs(id).size(), 2u);
    QCOMPARE(catalogue_->epochs(id)[0].last_step, 40);
    QCOMPARE(catalogue_->epochs(id)[1].generation, 1);

    catalogue_->put_checkpoint(id, {"checkpoint-000040", 0, 40, 1, 20.5, 100, 0.1, 4096, "rescale"});
    catalogue_->put_checkpoint(id, {"checkpoint-000080", 1, 80, 2, 41, 140, 0.1, 4096, "manual"});
    QCOMPARE(catalogue_->checkpoints(id).front().name, std::string("checkpoint-000080"));
    QCOMPARE(catalogue_->checkpoints(id).back().progress, 20.5);
    catalogue_->remove_checkpoint(id, "checkpoint-000080");
    QCOMPARE(catalogue_->checkpoints(id).size(), 1u);

    const protocol::LedgerEntry entry{"train-0", 2, 1, 64, 128, 3, 12000, 44};
    catalogue_->add_ledger(id, 1, entry);
    QVERIFY((catalogue_->ledger(id) == std::vector<Ledger>{{1, entry}}));

    catalogue_->put_hyperparameters(id, {{"lr", "0.1"}, {"momentum", "0.9"}});
    catalogue_->put_hyperparameters(id, {{"lr", "0.2"}});
    QCOMPARE(catalogue_->hyperparameters(id).at("lr"), std::string("0.2"));
    QCOMPARE(catalogue_->hyperparameters(id).size(), 2u);

    QVERIFY(!catalogue_->model(id));
    protocol::Model model;
    model.perf = {1, 2, 3, 4, 5, 6, 7};
    model.grad_var = INFINITY;
    model.init_batch_size = 64;
    catalogue_->put_model(id, 0, model);
    model.step = 9;
    catalogue_->put_model(id, 1, model);
    QCOMPARE(catalogue_->model(id)->step, 9);
    QCOMPARE(catalogue_->model(id)->perf, model.perf);
    QVERIFY(std::isinf(catalogue_->model(id)->grad_var));
  }

  void aMessageThatIsNotAModelIsNotTakenForOne() {
    const std::string id = catalogue_->create_run(spec("a"));
    catalogue_->put_model(id, 0, {});
    QVERIFY(meddle(folder_ / "runs.db", R"(UPDATE model SET message = '{"type":"heartbeat"}')"));
    VERIFY_THROWS("corrupt", "run " + id + ": its goodput model cannot be read: the message is not a model",
                  catalogue_->model(id));
  }

  void aSpecIsReplaced() {
    const std::string id = catalogue_->create_run(spec("a"));
    protocol::RunSpec other = spec("a");
    other.replicas = 3;
    catalogue_->set_spec(id, other);
    QCOMPARE(catalogue_->run(id)->spec.replicas, 3);
  }

  void aSpecThatCannotBeKeptLeavesNothing() {
    VERIFY_THROWS("io", "cannot write", keep_spec(folder_ / "nowhere", spec("a")));
    write_file(folder_ / kSpecFile / "taken", "a folder of that name");
    const auto entries = [&] {
      const std::filesystem::directory_iterator folder(folder_.path());
      return std::distance(begin(folder), end(folder));
    };
    const auto before = entries();
    VERIFY_THROWS("io", "cannot write", keep_spec(folder_.path(), spec("a")));
    QCOMPARE(entries(), before);
  }

  void aLedgerGoesBack() {
    const std::string a = catalogue_->create_run(spec("a")), b = catalogue_->create_run(spec("b"));
    for (const std::int64_t step : {1, 2, 3}) {
      catalogue_->add_ledger(a, 0, {"train-0", 0, 0, step - 1, step, 0, 100, step});
      catalogue_->add_ledger(b, 0, {"train-0", 0, 0, step - 1, step, 0, 100, step});
    }
    const std::vector<Ledger> whole = catalogue_->ledger(a);
    for (const std::size_t kept : {3, 1}) {  // what is there, and its beginning
      catalogue_->set_ledger(a, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(kept)});
      QCOMPARE(catalogue_->ledger(a).size(), kept);
      QCOMPARE(catalogue_->ledger(a).back().entry.step, static_cast<std::int64_t>(kept));
    }
    const std::vector<Ledger> other{{0, {"train-0", 0, 0, 0, 1, 0, 100, 1}},
                                    {1, {"train-0", 0, 0, 1, 50, 0, 100, 9}},
                                    {2, {"train-0", 0, 0, 50, 100, 0, 100, 12}}};
    catalogue_->set_ledger(a, other);
    QVERIFY(catalogue_->ledger(a) == other);
    QCOMPARE(catalogue_->ledger(b).size(), 3u);
    catalogue_->set_ledger(a, {});
    QVERIFY(catalogue_->ledger(a).empty());
  }

  void eventsAreTailed() {
    const std::string a = catalogue_->create_run(spec("a")), b = catalogue_->create_run(spec("b"));
    catalogue_->add_event(a, 0, 1, "info", "started");
    catalogue_->add_event(b, 0, 1, "info", "elsewhere");
    catalogue_->add_event(a, 0, 7, "warning", "slow");
    const auto events = catalogue_->events(a);
    QCOMPARE(events.size(), 2u);
    QCOMPARE(events[1].text, std::string("slow"));
    QCOMPARE(events[1].level, std::string("warning"));
    QCOMPARE(events[1].step, 7);
    QCOMPARE(catalogue_->events(a, events[0].id).size(), 1u);
    QVERIFY(catalogue_->events(a, events[1].id).empty());
  }

  void runsAreListedNewestFirstAndResolved() {
    QCOMPARE(kind_of([&] { catalogue_->resolve("latest"); }), "not_found");
    const std::string first = catalogue_->create_run(spec("digits"));
    const std::string second = catalogue_->create_run(spec("digits-wide"));
    const std::string third = catalogue_->create_run(spec("cifar"));
    const auto runs = catalogue_->runs();
    QCOMPARE(runs.size(), 3u);
    QCOMPARE(runs[0].id, third);
    QCOMPARE(runs[2].id, first);
    QCOMPARE(catalogue_->resolve("latest").id, third);
    QCOMPARE(catalogue_->resolve(second).id, second);
    QCOMPARE(catalogue_->resolve("digits").id, first);  // the whole name wins over a prefix of others
    QCOMPARE(catalogue_->resolve("digits-").id, second);
    QCOMPARE(catalogue_->resolve("cif").id, third);
    for (const std::string& named : {first + " (digits)", second + " (digits-wide)"})
      VERIFY_THROWS("usage", named, catalogue_->resolve("dig"));
    QCOMPARE(kind_of([&] { catalogue_->resolve("nothing%"); }), "not_found");
    QCOMPARE(kind_of([&] { catalogue_->resolve(""); }), "usage");
    catalogue_->create_run(spec("cifar"));
    QCOMPARE(kind_of([&] { catalogue_->resolve("cifar"); }), "usage");
  }

  void eightThatMatchAreListed() {
    for (int i = 0; i < 8; ++i) catalogue_->create_run(spec("digits-" + std::to_string(i)));
    const auto listed = [&] { return testing::thrown_by([&] { catalogue_->resolve("digits"); }); };
    VERIFY_HOLDS(listed(), "matches 8 runs", "(digits-0)", "(digits-7)");
    QVERIFY(!testing::holds(listed(), "..."));
    catalogue_->create_run(spec("digits-8"));
    VERIFY_HOLDS(listed(), "matches 9 runs", "(digits-8)", "(digits-1), ...");
    QVERIFY(!testing::holds(listed(), "(digits-0)"));
  }

  void removingTakesTheRowsAndNothingElse() {
    const std::string gone = catalogue_->create_run(spec("a")), kept = catalogue_->create_run(spec("a"));
    for (const std::string& id : {gone, kept}) {
      catalogue_->put_generation(id, {0, 2, "start", 1, 0, 0, 0, "", 0.5, {{"stop", 0.5}}, ""});
      catalogue_->add_event(id, 0, 1, "info", "text");
      catalogue_->set_tags(id, {"t"});
    }
    catalogue_->remove_run(gone);
    QVERIFY(!catalogue_->run(gone));
    QCOMPARE(catalogue_->runs().size(), 1u);
    QCOMPARE(catalogue_->events(kept).size(), 1u);
    QCOMPARE(catalogue_->generations(kept).at(0).pause_parts.size(), 1u);
    for (const auto& call : std::vector<std::function<void()>>{
             [&] { catalogue_->remove_run(gone); }, [&] { catalogue_->set_note(gone, ""); },
             [&] { catalogue_->events(gone); }, [&] { catalogue_->add_event(gone, 0, 0, "info", ""); },
             [&] { catalogue_->set_state(gone, RunState::running); }})
      QCOMPARE(kind_of(call), "not_found");
  }

  void oneSupervisorHoldsARun() {
    const std::string id = catalogue_->create_run(spec("a"));
    Sleeper other([&] { return Catalogue(folder_ / "runs.db").claim_supervisor(id); });
    QVERIFY(other.answer());
    QVERIFY(!catalogue_->claim_supervisor(id));
    QCOMPARE(catalogue_->run(id)->supervisor_pid, static_cast<std::int64_t>(other.pid()));
    QCOMPARE(kind_of([&] { catalogue_->remove_run(id); }), "conflict");
    catalogue_->release_supervisor(id);  // not ours to release
    QVERIFY(!catalogue_->claim_supervisor(id));
    catalogue_->set_state(id, RunState::running);
    QCOMPARE(catalogue_->run(id)->state, RunState::running);
    other.kill();
    QCOMPARE(catalogue_->run(id)->state, RunState::interrupted);
    QCOMPARE(catalogue_->run(id)->supervisor_pid, 0);
    QVERIFY(catalogue_->claim_supervisor(id));
    QVERIFY(catalogue_->claim_supervisor(id));
    QCOMPARE(catalogue_->run(id)->state, RunState::running);
    catalogue_->set_state(id, RunState::finished);
    catalogue_->release_supervisor(id);
    QCOMPARE(catalogue_->run(id)->state, RunState::finished);
  }

  void twoClaimsAtTheSameMomentAreOne() {
    for (int round = 0; round < 5; ++round) {
      const std::string id = catalogue_->create_run(spec("a"));
      const auto claim = [&] { return Catalogue(folder_ / "runs.db").claim_supervisor(id); };
      std::vector<std::unique_ptr<Sleeper>> sleepers;
      int claims = 0;
      for (int i = 0; i < 4; ++i) sleepers.push_back(std::make_unique<Sleeper>(claim));
      for (const auto& sleeper : sleepers) claims += sleeper->answer();
      QCOMPARE(claims, 1);
    }
  }

  void aRecycledProcessIdIsNoSupervisor() {
    const std::string id = catalogue_->create_run(spec("a"));
    Sleeper other([&] { return Catalogue(folder_ / "runs.db").claim_supervisor(id); });
    catalogue_->set_state(id, RunState::running);
    QVERIFY(meddle(folder_ / "runs.db", "UPDATE run SET supervisor_start = supervisor_start - 1"));
    QCOMPARE(catalogue_->run(id)->state, RunState::interrupted);
    QVERIFY(catalogue_->claim_supervisor(id));
  }

  void aNewRunMayWaitForItsSupervisor() {
    const std::string id = catalogue_->create_run(spec("a"));
    QCOMPARE(catalogue_->run(id)->state, RunState::starting);
    catalogue_->set_state(id, RunState::running);
    QCOMPARE(catalogue_->run(id)->state, RunState::interrupted);  // somebody has had it
    catalogue_->set_state(id, RunState::starting);
    QCOMPARE(catalogue_->run(id)->state, RunState::starting);
    QVERIFY(meddle(folder_ / "runs.db", "UPDATE run SET created = created - 3600"));
    QCOMPARE(catalogue_->run(id)->state, RunState::interrupted);
  }

  void aSupervisorThatDiedAtTheStartIsNotWaitedFor() {
    const std::string id = catalogue_->create_run(spec("a"));
    {
      const Sleeper other([&] { return Catalogue(folder_ / "runs.db").claim_supervisor(id); });
    }
    QCOMPARE(catalogue_->run(id)->state, RunState::interrupted);
  }

  // A supervisor that was killed may have been writing; a run that nobody held is nobody's crash.
  void whoFollowsADeadSupervisorLooksForDamage() {
    const std::string held = catalogue_->create_run(spec("held")), other = catalogue_->create_run(spec("b"));
    for (int i = 0; i < 500; ++i) catalogue_->add_event(other, 0, i, "info", std::string(200, 'x'));
    {
      const Sleeper dead([&] { return Catalogue(folder_ / "runs.db").claim_supervisor(held); });
    }
    catalogue_.reset();
    const auto file = folder_ / "runs.db";
    {
      std::fstream bytes(file, std::ios::binary | std::ios::in | std::ios::out);
      bytes.seekp(static_cast<std::streamoff>(std::filesystem::file_size(file) / 4096 / 2 * 4096));
      bytes << std::string(4096, '\xA5');
    }
    catalogue_.emplace(file);
    QVERIFY(catalogue_->claim_supervisor(other));
    VERIFY_THROWS("corrupt", "is damaged", catalogue_->claim_supervisor(held));
    QVERIFY(catalogue_->claim_supervisor(other));
  }

  void othersCommitsAreNoticed() {
    Catalogue here(folder_ / "runs.db"), there(folder_ / "runs.db");
    QVERIFY(!here.changed());
    const std::string id = there.create_run(spec("a"));
    QVERIFY(here.changed());
    QVERIFY(!here.changed());
    here.set_note(id, "mine");
    QVERIFY(!here.changed());
    QVERIFY(there.changed());
  }

  void manyProcessesWriteAtOnce() {
    constexpr int kProcesses = 4, kEach = 40;
    std::vector<Worker> workers;
    for (int i = 0; i < kProcesses; ++i)
      workers.emplace_back([&] {
        Catalogue catalogue(folder_ / "new.db");  // made by whoever comes first
        const std::string id = catalogue.create_run(spec("p" + std::to_string(i)));
        for (int k = 0; k < kEach; ++k) catalogue.add_event(id, 0, k, "info", "event");
      });
    for (const Worker& worker : workers) QVERIFY(worker.is_well());
    Catalogue catalogue(folder_ / "new.db");
    QCOMPARE(catalogue.runs().size(), static_cast<std::size_t>(kProcesses));
    for (const Run& run : catalogue.runs())
      QCOMPARE(catalogue.events(run.id).size(), static_cast<std::size_t>(kEach));
  }

 private:
  Folder folder_;
  std::optional<Catalogue> catalogue_;
};

BATCHSCOPE_TEST(TestCatalogue)
#include "test_catalogue.moc"
