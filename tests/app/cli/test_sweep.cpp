// SPDX-License-Identifier: Apache-2.0
//
// The commands of `batchscope sweep`. Nothing here trains: what comes of trials is put into the store in the
// place of the process that drives sweeps; tests/scenarios has real ones.
#include "batchscope/storage/sweeps.h"
#include "command_test.h"
#include "rows.h"
#include "sweep/example_file.h"

using namespace batchscope;
using namespace batchscope::cli;
using testing::columns;

namespace {

using Outcome = storage::SweepLeg::Outcome;

constexpr char kFile[] = R"(name = "rates"
recipe = "digits"
metric = "accuracy"
goal = "max"
trials = 4
method = "random"
replicas = 1
[stop]
kind = "asha"
min = 100
[parameter.lr]
min = 0.001
max = 0.1
scale = "log"
[parameter.momentum]
value = 0.9
)";

}  // namespace

class TestSweep : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    newSandbox();
    write("rates.toml", kFile);
  }

  void helpIsThere_data() {
    testing::rows("command", {"new", "run", "status", "pause", "resume", "stop", "extend", "best", "export",
                              "import", "rm"});
  }
  void helpIsThere() {
    QFETCH(QString, command);
    for (const QStringList& words : {QStringList{"sweep", command, "--help"}, {"help", "sweep", command}}) {
      const Answer answer = ask(words);
      VERIFY_CODE(kExitOk, answer);
      VERIFY_HOLDS(answer.out, "Usage: batchscope sweep " + command, "Example");
    }
  }

  void helpListsTheCommands() {
    for (const QStringList& words : {QStringList{"sweep"}, {"sweep", "--help"}, {"help", "sweep"}})
      VERIFY_HOLDS(ask(words).out, "Usage: batchscope sweep", "resume", "export", "sweep new --example");
  }

  void refusesMistypedCommands_data() {
    const auto row = columns<QStringList, QString>({"arguments", "complaint"});
    row("command", {"sweep", "stauts"}, "did you mean status?");
    row("command before --help", {"sweep", "stauts", "--help"}, "did you mean status?");
    row("command of another", {"sweep", "ls"}, "batchscope sweep --help lists them");
    row("flag", {"sweep", "status", "--jsn"},
        "batchscope sweep status has no flag --jsn; did you mean --json?");
    row("surplus", {"sweep", "best", "a", "b"}, "does not take \"b\"");
    row("topic", {"help", "sweep", "rum"}, "did you mean run?");
    row("no file", {"sweep", "run"}, "FILE");
    row("no file to add", {"sweep", "new"}, "--example");
    row("detached without a person", {"sweep", "run", "rates.toml", "--detach", "--headless"}, "--detach");
    row("width", {"sweep", "run", "rates.toml", "--width", "0"}, "--width");
    row("nothing more", {"sweep", "extend", "rates"}, "--trials 16");
    row("hours", {"sweep", "extend", "rates", "--device-hours", "nan"}, "--device-hours");
    row("two forms", {"sweep", "export", "rates", "--csv", "--toml"}, "--csv");
  }
  void refusesMistypedCommands() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, complaint);
    VERIFY_REFUSED(kExitUsage, complaint, ask(arguments));
    QVERIFY2(!QFile::exists(sandbox_->database()), "a mistyped command makes no store");
  }

  // A line of the file is replaced, and the answer names the file, the key and what is wrong.
  void refusesBadFiles_data() {
    const auto row = columns<QByteArray, QByteArray, QString>({"line", "by", "complaint"});
    row("unknown key", "trials = 4", "trails = 4", "bad.toml:5:");
    row("unknown key of a parameter", "scale = \"log\"", "scaled = \"log\"", "bad.toml:14:");
    row("no goal", "goal = \"max\"", "", "'goal' is missing");
    for (const char* name : {"../../x", "--help", " ", ".hidden", "a "})
      QTest::addRow("name '%s'", name)
          << QByteArray("name = \"rates\"") << QByteArray("name = \"") + name + '"'
          << "cannot be the name of a sweep";
    row("empty range", "max = 0.1", "max = 0.001", "'lr'");
    row("range the wrong way", "max = 0.1", "max = 0.0001", "'lr'");
    row("log scale through zero", "min = 0.001", "min = 0.0", "above 0");
    row("log scale from below zero", "min = 0.001", "min = -1.0", "above 0");
    row("no trials", "trials = 4", "", "'trials' is missing");
    row("no number", "trials = 4", "trials = \"many\"", "trials");
    row("method", "method = \"random\"", "method = \"magic\"", "grid, random, sobol, tpe");
    row("nothing to search", "[parameter.lr]\nmin = 0.001\nmax = 0.1\nscale = \"log\"", "",
        "every parameter is fixed");
    row("no TOML", "trials = 4", "trials = = 4", "bad.toml:5");
    row("recipe", "recipe = \"digits\"", "recipe = \"digit\"", "did you mean digits?");
    row("program", "recipe = \"digits\"", "program = \"./nosuch\"", "nosuch");
    row("recipe and program", "recipe = \"digits\"", "recipe = \"digits\"\nprogram = \"true\"",
        "one of them");
    row("parameter of no recipe", "[parameter.momentum]", "[parameter.momentun]", "momentun");
    row("out of the recipe's bounds", "value = 0.9", "value = 2.0", "momentum");
    row("device", "replicas = 1", "device = \"tpu\"", "tpu");
    row("replicas", "replicas = 1", "replicas = 4000", "ask for fewer");
    row("seeds", "replicas = 1", "seeds = 2\n[parameter.seed]\nvalues = [1, 2]\n[more]", "more");
  }
  void refusesBadFiles() {
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, by);
    QFETCH(QString, complaint);
    QVERIFY(QByteArray(kFile).contains(line));
    write("bad.toml", QByteArray(kFile).replace(line, by));
    for (const char* command : {"new", "run"}) {
      const Answer answer = ask({"sweep", command, "bad.toml"});
      QVERIFY2(answer.code == kExitUsage || answer.code == kExitConflict,
               qPrintable(answer.out + answer.err));
      VERIFY_HOLDS(answer.err, complaint, "bad.toml");
      QVERIFY2(!QFile::exists(sandbox_->database()), "nothing is begun");
    }
  }

  void refusesAMissingFile() {
    VERIFY_REFUSED(kExitNotFound, "nosuch.toml", ask({"sweep", "new", "nosuch.toml"}));
    VERIFY_REFUSED(kExitNotFound, "no sweeps yet", ask({"sweep", "status", "latest"}));
    VERIFY_REFUSED(kExitNotFound, "no sweeps yet", ask({"sweep", "pause"}));
  }

  void addsTheExample() {
    const Answer example = ask({"sweep", "new", "--example"});
    VERIFY_CODE(kExitOk, example);
    QCOMPARE(example.out, QString(kExampleFile));
    write("my.toml", example.out.toUtf8());
    VERIFY_HOLDS(ask({"sweep", "new", "my.toml"}).out, "digits-lr is added",
                 "batchscope sweep resume digits-lr");
    QCOMPARE(sweep("digits-lr")["state"].toString(), "paused");
    VERIFY_REFUSED(kExitConflict, "batchscope sweep resume digits-lr", ask({"sweep", "run", "my.toml"}));
    QCOMPARE(runs().size(), 0);
  }

  void listsSweeps() {
    VERIFY_HOLDS(ask({"sweep", "status"}).out, "No sweeps yet", "--example");
    addTrials();
    const QStringList lines = ask({"sweep", "status"}).out.split('\n');
    QVERIFY2(lines[1].contains(QRegularExpression("^rates +running +2/4 +accuracy 95.00 % by trial 0 +36 s")),
             qPrintable(lines[1]));
    VERIFY_HOLDS(lines[2], "no process drives it", "batchscope sweep resume rates");
    const QJsonArray all = ask({"sweep", "status", "--json"}).json()["sweeps"].toArray();
    QCOMPARE(all.size(), 1);
    QCOMPARE(all[0].toObject()["driven"].toBool(), false);
  }

  void showsTrials() {
    const QString run = addTrials();
    const QString out = ask({"sweep", "status", "ra"}).out;
    VERIFY_HOLDS(out, "2 of 4 trials, 1 training, 1 failed", "device time 36 s",
                 "best accuracy 95.00 % by trial 0", "no process drives it", "lr=0.01", "its disk was full",
                 run);
    QVERIFY2(out.contains(QRegularExpression("\n +0 +paused +95.00 % +0 \\(100\\) +lr=0.01 +36 s +" + run)),
             qPrintable(out));
    QVERIFY2(!out.contains("momentum"), "what is fixed tells nothing");

    const QJsonObject all = ask({"sweep", "status", "rates", "--json"}).json();
    QCOMPARE(all["trials"].toArray().size(), 3);
    const QJsonObject first = all["trials"].toArray()[0].toObject();
    QCOMPARE(first["parameters"].toObject(), (QJsonObject{{"lr", "0.01"}, {"momentum", "0.9"}}));
    QCOMPARE(first["value"].toDouble(), 0.95);
    QCOMPARE(first["runs"].toArray(), QJsonArray{run});
    QVERIFY(all["trials"].toArray()[1].toObject()["value"].isNull());
    QCOMPARE(all["legs"].toArray()[2].toObject()["outcome"].toString(), "under_way");
    QCOMPARE(all["legs"].toArray()[0].toObject()["iterations"].toDouble(), 100.);
  }

  // The trial's leg is under way until the sweep goes on.
  void callsATrialOfAStoppedSweepInterrupted() {
    addTrials();
    catalogueOf([](storage::Sweeps& sweeps) { sweeps.set_state("rates", storage::SweepState::stopped); });
    const QString out = ask({"sweep", "status", "rates"}).out;
    VERIFY_HOLDS(out, "rates  stopped  2 of 4 trials, 1 interrupted, 1 failed");
    QVERIFY2(out.contains(QRegularExpression("\n +2 +interrupted +lr=0.03")), qPrintable(out));
    QVERIFY(!out.contains("no process drives it"));
    VERIFY_HOLDS(ask({"sweep", "export"}).out, "2,interrupted,,,0.03");
  }

  void fitsIntoANarrowTerminal() {
    addTrials();
    const auto process = sandbox_->prepare({"sweep", "status", "latest"}, {{"COLUMNS", "80"}});
    for (const QString& line : Sandbox::run(*process).out.split('\n'))
      QVERIFY2(line.size() <= 80, qPrintable(line));
  }

  void namesTheBest() {
    VERIFY_CODE(kExitOk, ask({"sweep", "new", "rates.toml"}));
    VERIFY_REFUSED(kExitNotFound, "no trial of rates has a value", ask({"sweep", "best"}));
    VERIFY_CODE(kExitOk, ask({"sweep", "rm", "--yes"}));
    const QString run = addTrials();
    const QStringList command{"batchscope", "run",   "--replicas", "1",     "--recipe",
                              "digits",     "--set", "lr=0.01",    "--set", "momentum=0.9"};
    QCOMPARE(ask({"sweep", "best"}).out,
             "# rates: accuracy 95.00 % by trial 0, run " + run + "\n" + command.join(' ') + "\n");
    const QJsonObject best{{"run", run},
                           {"value", 0.95},
                           {"parameters", QJsonObject{{"lr", "0.01"}, {"momentum", "0.9"}}},
                           {"command", QJsonArray::fromStringList(command)}};
    QCOMPARE(ask({"sweep", "best", "rates", "--json"}).json(), best);
  }

  void exportsTrials() {
    const QString run = addTrials();
    const QString csv =
        "trial,state,value,rung,parameter.lr,parameter.momentum,device_hours,runs,message\n"
        "0,paused,0.95,0,0.01,0.9,0.01," +
        run +
        ",\n"
        "1,failed,,,0.02,0.9,0,,\"its disk was full, it says\"\n"
        "2,running,,,0.03,0.9,0,,\n";
    QCOMPARE(ask({"sweep", "export"}).out, csv);
    VERIFY_HOLDS(ask({"sweep", "export", "rates", "--csv", "-o", "trials.csv"}).out, "wrote trials.csv",
                 "3 trials");
    QCOMPARE(contents("trials.csv"), csv.toUtf8());
    VERIFY_REFUSED(kExitConflict, "--force", ask({"sweep", "export", "rates", "-o", "trials.csv"}));
    QCOMPARE(ask({"sweep", "export", "--json"}).json()["legs"].toArray().size(), 3);
    VERIFY_CODE(kExitOk, ask({"sweep", "export", "--toml", "-o", "again.toml"}));
    write("other.toml", contents("again.toml").replace("rates", "other"));
    VERIFY_CODE(kExitOk, ask({"sweep", "new", "other.toml"}));
    QCOMPARE(ask({"sweep", "export", "other", "--toml"}).out.toUtf8(), contents("other.toml"));
  }

  // Nothing is stopped or paused then, so nothing is said of the trials.
  void tellsThatASweepEndedBefore() {
    addTrials();
    const auto become = [&](storage::SweepState state) {
      catalogueOf([&](storage::Sweeps& sweeps) { sweeps.set_state("rates", state); });
    };
    become(storage::SweepState::stopped);
    const Answer stopped = ask({"sweep", "stop", "rates"});
    VERIFY_CODE(kExitOk, stopped);
    VERIFY_HOLDS(stopped.out, "rates: it was stopped already; `batchscope sweep resume` continues");
    become(storage::SweepState::paused);
    VERIFY_HOLDS(ask({"sweep", "pause", "rates"}).out, "rates: it was paused already; ");
    become(storage::SweepState::finished);
    for (const char* command : {"stop", "pause"})
      VERIFY_REFUSED(kExitConflict, "has finished and cannot be ", ask({"sweep", command, "rates"}));
  }

  void importsSweepsOfOthers() {
    write("theirs.yaml",
          "name: theirs\nproject: shop\nprogram: train.py\nmethod: bayes\nrun_cap: 9\n"
          "metric: {name: loss, goal: minimize}\n"
          "parameters:\n  lr: {distribution: log_uniform_values, min: 0.001, max: 0.1}\n");
    const Answer printed = ask({"sweep", "import", "theirs.yaml"});
    VERIFY_CODE(kExitOk, printed);
    VERIFY_HOLDS(printed.out, "metric = \"loss\"", "[parameter.lr]");
    VERIFY_HOLDS(printed.err, "theirs.yaml:2", "project");
    VERIFY_HOLDS(ask({"sweep", "import", "theirs.yaml", "-o", "ours.toml"}).out,
                 "batchscope sweep run ours.toml");
    QCOMPARE(QString::fromUtf8(contents("ours.toml")), printed.out);
    VERIFY_REFUSED(kExitConflict, "--force", ask({"sweep", "import", "theirs.yaml", "-o", "ours.toml"}));
    write("theirs.yaml", "method: bayes\nparameters: {x: {distribution: beta}}\n");
    VERIFY_REFUSED(kExitUsage, "theirs.yaml", ask({"sweep", "import", "theirs.yaml"}));
  }

  void forgetsSweeps() {
    const QString run = addTrials();
    VERIFY_REFUSED(kExitConflict, "batchscope sweep stop rates", ask({"sweep", "rm", "rates", "--yes"}));
    catalogueOf([](storage::Sweeps& sweeps) { sweeps.set_state("rates", storage::SweepState::stopped); });
    VERIFY_REFUSED(kExitUsage, "--yes", ask({"sweep", "rm", "rates"}));
    VERIFY_HOLDS(ask({"sweep", "rm", "rates", "--yes"}).out, "removed the sweep rates, 1 run stays as it is");
    QCOMPARE(runs().size(), 1);

    addTrials();
    catalogueOf([](storage::Sweeps& sweeps) { sweeps.set_state("rates", storage::SweepState::finished); });
    VERIFY_HOLDS(ask({"sweep", "rm", "rates", "--runs", "--yes"}).out, "1 run in the trash");
    QCOMPARE(runs().size(), 1);
    VERIFY_HOLDS(ask({"sweep", "status"}).out, "No sweeps yet");
  }

  void completesCommandsAndNames() {
    addTrials();
    const auto complete = [&](const QStringList& words) {
      return ask(QStringList{"__complete"} + words).out;
    };
    QCOMPARE(complete({"sweep", "ex"}),
             "extend\tTry more points, or for longer\nexport\tWrite all trials as a table\n");
    QVERIFY(complete({"help", "sweep", "be"}).startsWith("best\t"));
    QVERIFY(complete({"sweep", "status", "ra"}).startsWith("rates\trunning, "));
    QVERIFY(complete({"sweep", "best", ""}).startsWith("latest\trates\n"));
    QCOMPARE(complete({"sweep", "run", "--head"}).section('\t', 0, 0), "--headless");
    QCOMPARE(complete({"sweep", "run", ""}), ":files\n");
  }

 private:
  void catalogueOf(const std::function<void(storage::Sweeps&)>& act) const {
    storage::Catalogue catalogue = this->catalogue();
    storage::Sweeps sweeps(catalogue);
    act(sweeps);
  }

  QJsonObject sweep(const QString& name) const {
    return ask({"sweep", "status", name, "--json"}).json()["sweep"].toObject();
  }

  // The sweep "rates", as though it ran: a trial with a run at its first rung, one that failed, one that
  // trains. Returns that run.
  QString addTrials() const {
    storage::Catalogue catalogue = this->catalogue();
    storage::Sweeps sweeps(catalogue);
    storage::Sweep sweep;
    sweep.name = "rates";
    sweep.file = kFile;
    sweep.spec.program = "/bin/true";
    sweep.width = 2;
    sweeps.create(sweep);
    for (std::size_t number = 0; number < 3; ++number) {
      storage::SweepLeg leg;
      leg.trial = number;
      leg.parameters = {{"lr", QStringList{"0.01", "0.02", "0.03"}[qsizetype(number)].toStdString()},
                        {"momentum", "0.9"}};
      leg.heard = 0;
      sweeps.begin_leg("rates", number, leg);
    }
    protocol::RunSpec spec;
    spec.name = "rates-0";
    spec.program = "/bin/true";
    const std::string run = sweeps.submit("rates", {}, spec);
    catalogue.cancel_waiting(run, "");
    storage::SweepLeg ended;
    ended.outcome = Outcome::value;
    ended.value = 0.95;
    ended.device_hours = 0.01;
    sweeps.end_leg("rates", 0, ended);
    ended.outcome = Outcome::failed;
    ended.device_hours = 0;
    ended.message = "its disk was full, it says";
    sweeps.end_leg("rates", 1, ended);
    return QString::fromStdString(run);
  }
};

BATCHSCOPE_TEST(TestSweep)
#include "test_sweep.moc"
