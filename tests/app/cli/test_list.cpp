// SPDX-License-Identifier: Apache-2.0
//
// ls: filters, order, columns, and watching.
#include <csignal>

#include "command_test.h"
#include "rows.h"

using namespace batchscope;
using namespace batchscope::cli;

class TestList : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    newSandbox();
    makeRun(
        {.name = "digits", .accuracy = 0.95, .tags = {"paper"}, .hyperparameters = {{"optimizer", "adam"}}});
    makeRun({.name = "wide", .accuracy = 0.99, .group = "ablation"});
    makeRun({.name = "broken", .state = protocol::RunState::failed, .accuracy = NAN});
  }

  void filters() {
    QCOMPARE(names({}), QStringList({"broken", "wide", "digits"}));
    QCOMPARE(names({"--where", "accuracy>0.97"}), QStringList({"wide"}));
    QCOMPARE(names({"--where", "tag=paper or group=ablation"}), QStringList({"wide", "digits"}));
    QCOMPARE(names({"--where", "optimizer=adam"}), QStringList({"digits"}));
    QCOMPARE(names({"--where", "state=failed and age<1h"}), QStringList({"broken"}));
    QVERIFY(ask({"ls", "--where", "step>1000"}).out.contains("None of 3 runs passes"));
  }

  void leavesLessonsOut() {
    makeRun({.name = "gain", .tags = {"lesson:gain"}});
    QCOMPARE(names({}), QStringList({"broken", "wide", "digits"}));
    QCOMPARE(names({"--all"}), QStringList({"gain", "broken", "wide", "digits"}));
    for (const char* own : {"broken", "wide", "digits"}) QCOMPARE(ask({"rm", own}).code, kExitOk);
    QVERIFY(ask({"ls"}).out.contains("No runs yet"));
  }

  void sortsAndLimits() {
    QCOMPARE(names({"--sort", "accuracy"}), QStringList({"digits", "wide", "broken"}));
    QCOMPARE(names({"--sort", "-accuracy"}), QStringList({"wide", "digits", "broken"}));
    QCOMPARE(names({"--sort=-name", "--limit", "2"}), QStringList({"wide", "digits"}));
  }

  void showsColumns() {
    const QStringList lines =
        ask({"ls", "--columns", "name,accuracy,optimizer,tag,age", "--sort", "name"}).out.split('\n');
    QCOMPARE(lines[0].simplified(), "NAME ACCURACY OPTIMIZER TAG AGE");
    QCOMPARE(lines[1].simplified(), "broken nan just now");
    QCOMPARE(lines[2].simplified(), "digits 95.00 % adam paper just now");
    const QJsonObject run =
        ask({"ls", "--columns", "name,accuracy,tag", "--json"}).json()["runs"].toArray()[2].toObject();
    QCOMPARE(run.keys(), QStringList({"accuracy", "name", "tag"}));
    QCOMPARE(run["tag"].toArray(), QJsonArray{"paper"});
  }

  void foldsTrialsUnderTheirSweep() {
    using Outcome = storage::SweepLeg::Outcome;
    makeSweep("rates", {{.accuracy = 0.9},
                        {.accuracy = 0.8},
                        {.state = protocol::RunState::failed, .outcome = Outcome::diverged},
                        {.state = protocol::RunState::finished, .accuracy = 0.95}});
    const QString out = ask({"ls"}).out;
    VERIFY_HOLDS(out, "sweep",
                 "4 trials: 2 wait at rung 0, 1 diverged, 1 finished; best accuracy 95.00 %, of trial 3",
                 "broken", "batchscope ls --trials");
    QVERIFY(!out.contains("rates-1"));
    QCOMPARE(
        ask({"ls", "--sort", "-accuracy", "--columns", "name,accuracy", "--limit", "2"}).out.count("\n  "),
        1);
    for (const QStringList& flags :
         {QStringList{"--trials"}, {"--where", "sweep=rates"}, {"--sort", "trial"}}) {
      const QString all = ask(QStringList{"ls"} + flags).out;
      VERIFY_HOLDS(all, "rates-0", "rates-3");
      QVERIFY(!all.contains("4 trials"));
    }
    const QJsonArray runs = ask({"ls", "--json"}).json()["runs"].toArray();
    QCOMPARE(runs.size(), 7);
    const QJsonObject trial = runs[1].toObject();
    QCOMPARE(trial["sweep"].toString(), "rates");
    QCOMPARE(trial["trial"].toInt(-1), 2);
    QVERIFY(trial["diverged"].toBool() && runs[4].toObject()["sweep"].isNull());
  }

  void countsRestarts() {
    const QJsonObject run = ask({"ls", "--json", "--limit", "1"}).json()["runs"].toArray()[0].toObject();
    QCOMPARE(run["restarts"].toInt(-1), 1);
    QCOMPARE(names({"--where", "restarts>1"}), QStringList());
    protocol::RunSpec spec;
    spec.name = "new";
    spec.program = "/bin/true";
    catalogue().create_run(spec);
    QCOMPARE(names({"--where", "restarts=0"}), QStringList({"new"}));
  }

  void refusesWhatItDoesNotKnow_data() {
    const auto row = testing::columns<QStringList, QString>({"flags", "complaint"});
    row("syntax", {"--where", "accuracy>"}, "\n  accuracy>\n          ^\n");
    row("field", {"--where", "acuracy>1"}, "did you mean accuracy?");
    row("column", {"--columns", "id,nmae"}, "did you mean name?");
    row("sort", {"--sort", "-los"}, "did you mean loss?");
    row("limit", {"--limit", "0"}, "--limit");
  }

  void refusesWhatItDoesNotKnow() {
    QFETCH(QStringList, flags);
    QFETCH(QString, complaint);
    const Answer answer = ask(QStringList{"ls"} + flags);
    QCOMPARE(answer.code, kExitUsage);
    VERIFY_HOLDS(answer.err, complaint);
    QCOMPARE(answer.out, QString());
  }

  void takesAnyFieldWhileTheStoreIsEmpty() {
    const Sandbox empty;
    const Answer answer = empty.ask({"ls", "--where", "f1>0.5", "--json"});
    QCOMPARE(answer.code, kExitOk);
    QCOMPARE(answer.json()["runs"].toArray().size(), 0);
  }

  void watchesUntilInterrupted() {
    auto process = sandbox_->start({"ls", "--watch", "--columns", "name,note", "--where", "name=wide"});
    QByteArray out;
    const auto seen = [&](const char* text) { return awaitOutput(*process, out, text); };
    QVERIFY(seen("wide"));
    storage::Catalogue catalogue = this->catalogue();
    catalogue.set_note(catalogue.resolve("wide").id, "changed");
    QVERIFY(seen("changed"));
    QVERIFY2(!out.contains('\x1b'), "no redrawing outside a terminal");
    QCOMPARE(out.count("wide"), 2);
    ::kill(static_cast<pid_t>(process->processId()), SIGINT);
    QCOMPARE(Sandbox::finish(*process).code, kExitOk);
  }

 private:
  QStringList names(const QStringList& flags) const {
    QStringList list;
    for (const QJsonValue& run : ask(QStringList{"ls", "--json"} + flags).json()["runs"].toArray())
      list << run.toObject()["name"].toString();
    return list;
  }
};

BATCHSCOPE_TEST(TestList)
#include "test_list.moc"
