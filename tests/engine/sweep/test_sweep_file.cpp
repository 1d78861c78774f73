// SPDX-License-Identifier: Apache-2.0
//
// Reading and writing sweep files, and what is said about wrong ones.
#include "batchscope/sweep/sweep_file.h"

#include <QTemporaryDir>
#include <regex>

#include "rows.h"
#include "spaces.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::sweep;
using namespace batchscope::testing;

namespace {

constexpr char kSweep[] = R"(recipe = "digits"
metric = "accuracy"
goal = "max"
trials = 64

[stop]
kind = "asha"
min = 200
max = 9000

[parameter.lr]
min = 1e-3
max = 0.3
scale = "log"

[parameter.layers]
min = 1
max = 4
)";

}  // namespace

class TestSweepFile : public QObject {
  Q_OBJECT

  QTemporaryDir directory_;

  std::filesystem::path write(const std::string& text) const {
    const auto file = std::filesystem::path(directory_.path().toStdString()) / "lr.toml";
    write_file(file, text);
    return file;
  }
  SweepFile read(const std::string& text) const { return SweepFile::load(write(text)); }
  static std::string changed(const std::string& from, const std::string& to) {
    std::string text = kSweep;
    return text.replace(text.find(from), from.size(), to);
  }

 private Q_SLOTS:
  void whatIsWrittenIsRead() {
    const SweepFile sweep = read(kSweep);
    QCOMPARE(sweep.name, std::string("lr"));
    QCOMPARE(sweep.recipe, std::string("digits"));
    QVERIFY(sweep.goal == Goal::max && sweep.method == Method::tpe && sweep.trials == 64 &&
            sweep.seeds == 1 && sweep.seed == 0 && sweep.devices_per_replica == 0);
    QVERIFY(sweep.stop == (StopRule{StopRule::Kind::asha, 200, 9000, 3}));
    QVERIFY(sweep.parameters == (std::vector{real("lr", 1e-3, 0.3, true), integer("layers", 1, 4)}));
    QCOMPARE(cost_of(Goal::max, 0.9), -0.9);
    QCOMPARE(cost_of(Goal::min, 0.9), 0.9);
  }

  // The example in SWEEPS.md can be used.
  void theExampleOfTheDocumentIsRead() {
    const std::string document = contents(SWEEPS_MD);
    std::smatch block;
    QVERIFY(std::regex_search(document, block, std::regex("```toml\n([^`]*)```")));
    const SweepFile sweep = read(block[1]);
    QCOMPARE(sweep.parameters.size(), std::size_t{5});
    QVERIFY(sweep.parameters[3].when);
  }

  void textAndFileAreTheSame() {
    SweepFile sweep;
    sweep.name = "two \"words\"";
    sweep.program = "./train";
    sweep.arguments = {"--epochs", "5", "a\\b"};
    sweep.metric = "loss";
    sweep.trials = 12;
    sweep.device_hours = 1;
    sweep.seeds = 3;
    sweep.seed = 77;
    sweep.method = Method::sobol;
    sweep.stop = {StopRule::Kind::median, 10.5, {}, 2};
    sweep.parameters = mixed_space().parameters();
    sweep.parameters.push_back(real("a.b", 1, 2));
    sweep.parameters.push_back(choice("text", {"a \"b\"", "", "1"}));
    QVERIFY2(read(sweep.text()) == sweep, sweep.text().c_str());
    sweep.stop = {};
    sweep.device_hours = 0.25;
    sweep.recipe = "digits";
    sweep.program.clear();
    QVERIFY2(read(sweep.text()) == sweep, sweep.text().c_str());
    sweep.replicas = "1-4";
    sweep.device = "cpu";
    sweep.devices_per_replica = 2;
    sweep.stop = {StopRule::Kind::pbt, 10, 500, 3, StopRule::Unit::steps, {0.4, 0.5}};
    QVERIFY2(read(sweep.text()) == sweep, sweep.text().c_str());
    QVERIFY(SweepFile::parse(sweep.text(), "a sweep") == sweep);
    VERIFY_THROWS("usage", "a sweep:1: ", SweepFile::parse("trials = ", "a sweep"));
  }

  // Only what is not usual, as a person would have written it.
  void whatIsWrittenIsShort() {
    SweepFile sweep;
    sweep.name = "lr";
    sweep.recipe = "digits";
    sweep.metric = "loss";
    sweep.parameters = {real("lr", 1e-3, 2, true), integer("n", 1, 4)};
    const std::string head = "name = \"lr\"\nrecipe = \"digits\"\n",
                      metric = "metric = \"loss\"\ngoal = \"min\"\n",
                      lr = "\n[parameter.lr]\nmin = 0.001\nmax = 2.0\nscale = \"log\"\n",
                      n = "\n[parameter.n]\nmin = 1\nmax = 4\n";
    QCOMPARE(sweep.text(), head + metric + "method = \"tpe\"\n" + lr + n);
    sweep.arguments = {"--epochs", "5"};
    sweep.goal = Goal::max;
    sweep.trials = 1;
    sweep.device_hours = 2;
    sweep.seeds = 2;
    sweep.seed = 1;
    sweep.replicas = "2";
    sweep.device = "cpu";
    sweep.devices_per_replica = 1;
    sweep.method = Method::random;
    sweep.stop = {StopRule::Kind::median, 10, {}, 3};
    sweep.parameters = {when(with_step(real("a.b", 0, 1), 0.25), "c", {"x", "y"}), choice("c", {"x", "y"}),
                        choice("fixed", {"1"})};
    QCOMPARE(sweep.text(),
             head +
                 "arguments = [\"--epochs\", \"5\"]\nmetric = \"loss\"\ngoal = \"max\"\ntrials = 1\n"
                 "device_hours = 2.0\nseeds = 2\nseed = 1\nreplicas = \"2\"\ndevice = \"cpu\"\n"
                 "devices_per_replica = 1\nmethod = \"random\"\n\n[stop]\nkind = \"median\"\nmin = 10.0\n"
                 "eta = 3.0\n\n[parameter.\"a.b\"]\nmin = 0.0\nmax = 1.0\nstep = 0.25\n"
                 "when = { c = [\"x\", \"y\"] }\n\n[parameter.c]\nvalues = [\"x\", \"y\"]\n"
                 "\n[parameter.fixed]\nvalue = \"1\"\n");
    sweep = {};
    sweep.name = "lr";
    sweep.program = "./train";
    sweep.metric = "loss";
    sweep.stop = {StopRule::Kind::pbt, 10, 500, 3, StopRule::Unit::steps, {0.4, 0.5}};
    sweep.parameters = {integer("n", 1, 4)};
    QCOMPARE(sweep.text(), "name = \"lr\"\nprogram = \"./train\"\n" + metric +
                               "method = \"tpe\"\n\n[stop]\nkind = \"pbt\"\nmin = 10.0\nmax = 500.0\n"
                               "share = 0.4\nresample = 0.5\nunit = \"steps\"\n" +
                               n);
  }

  void valuesOfAnyTypeBecomeTexts() {
    const SweepFile sweep =
        read(changed("min = 1\nmax = 4", "values = [1, 0.5, \"big\", true]\nwhen = { lr2 = 3 }") +
             "[parameter.lr2]\nvalues = [3, 4]\n");
    QVERIFY(sweep.parameters[1].choices == (std::vector<std::string>{"1", "0.5", "big", "true"}));
    QVERIFY(sweep.parameters[1].when == (Condition{"lr2", {"3"}}));
  }

  // The bounds of numbers belong to them.
  void whatIsJustAllowed_data() {
    const auto row = columns<QString, QString>({"from", "to"});
    row("one trial", "64", "1");
    row("most trials", "64", "100000");
    row("one seed", "64", "64\nseeds = 1");
    row("the first seed", "64", "64\nseed = 0");
    row("half an hour", "64", "64\ndevice_hours = 0.5");
    row("a short rung", "min = 200", "min = 0.5");
    row("a small factor", "max = 9000", "eta = 1.5");
    row("most seeds", "64", "64\nseeds = 100");
    row("largest seed", "64", "64\nseed = 9007199254740992");
    row("no share", "kind = \"asha\"", "kind = \"pbt\"\nshare = 0\nresample = 0");
    row("half", "kind = \"asha\"", "kind = \"pbt\"\nshare = 0.5\nresample = 1");
    row("one device of each", "64", "64\ndevices_per_replica = 1");
    row("most devices of each", "64", "64\ndevices_per_replica = 4096");
    row("a condition of a list", "max = 4", "max = 4\nwhen = { b = [1, 2] }\n[parameter.b]\nvalues = [1, 2]");
  }
  void whatIsJustAllowed() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    read(changed(from.toStdString(), to.toStdString()));
  }

  // A number is whole where all that is written of it is.
  void rangesAreOfWholeNumbersOrNot() {
    QVERIFY(read(changed("max = 4", "max = 4\nstep = 3")).parameters[1] ==
            with_step(integer("layers", 1, 4), 3));
    QVERIFY(read(changed("max = 4", "max = 4\nstep = 0.5")).parameters[1] ==
            with_step(real("layers", 1, 4), 0.5));
    QVERIFY(read(changed("max = 4", "max = 4.0")).parameters[1] == real("layers", 1, 4));
    QVERIFY(read(changed("min = 1\n", "min = 1.0\n")).parameters[1] == real("layers", 1, 4));
    QVERIFY(read(changed("scale = \"log\"", "scale = \"linear\"")).parameters[0] == real("lr", 1e-3, 0.3));
  }

  void aGridNeedsNoTrials() {
    const std::string grid = "method = \"grid\"\n" + changed("trials = 64\n", "");
    VERIFY_THROWS("usage", "lr.toml:1: parameter 'lr' has endlessly many values", read(grid));
    const std::string counted = std::regex_replace(grid, std::regex("scale = \"log\""), "step = 0.1");
    QVERIFY(!read(counted).trials);
    VERIFY_THROWS("usage", "field 'trials' is missing", read(changed("trials = 64\n", "")));
  }

  // FILE:LINE, the key, what was wrong, what to do.
  void wrongOnesAreNamed_data() {
    const auto row = columns<QString, QString, QString>({"from", "to", "words"});
    row("unknown key", "trials = 64", "trails = 64", "lr.toml:4: unknown field 'trails'");
    row("unknown key of a parameter", "scale = \"log\"", "sclae = \"log\"",
        "lr.toml:14: unknown field 'sclae'");
    row("unknown key of stop", "min = 200", "min = 200\nfactor = 2", "lr.toml:9: unknown field 'factor'");
    row("misspelt key that must be there", "metric", "metirc",
        "lr.toml:2: unknown field 'metirc'; did you mean metric?");
    row("misspelt table", "[parameter.lr]", "[paramter.lr]", "'paramter'; did you mean parameter?");
    row("misspelt key of a range", "min = 1e-3", "mim = 1e-3",
        "lr.toml:12: unknown field 'mim'; did you mean min?");
    row("misspelt key of many", "trials = 64", "trials = 64\nmethd = \"tpe\"", "did you mean method?");
    row("NUL in an argument", "trials = 64", "trials = 64\narguments = [\"a\\u0000b\"]",
        "lr.toml:5: field 'arguments': a text cannot hold a NUL");
    row("NUL in a value", "min = 1\nmax = 4", "values = [\"\\u0000\", \"b\"]", "cannot hold a NUL");
    row("no toml", "trials = 64", "trials = ", "lr.toml:4: ");
    row("nothing trained", "recipe = \"digits\"\n", "", "give a recipe or a program");
    row("two things trained", "recipe", "program = \"x\"\nrecipe", "give one of them");
    row("no metric", "metric = \"accuracy\"\n", "", "field 'metric' is missing");
    row("no goal", "goal = \"max\"\n", "", "field 'goal' is missing: one of min, max");
    row("goal", "\"max\"", "\"up\"", "lr.toml:3: field 'goal': 'up' is not one of min, max");
    row("method", "trials", "method = \"bayes\"\ntrials", "'bayes' is not one of grid, random, sobol, tpe");
    row("no trials", "64", "0",
        "lr.toml:4: field 'trials': expected a whole number from 1 to 100000, found 0");
    row("half a trial", "64", "1.5", "expected a whole number");
    row("many trials", "64", "100001", "from 1 to 100000, found 100001");
    row("many seeds", "trials", "seeds = 101\ntrials",
        "field 'seeds': expected a whole number from 1 to 100");
    row("large seed", "trials", "seed = 9.1e15\ntrials",
        "field 'seed': expected a whole number from 0");
    for (const char* key : {"min = 1", "max = 1", "step = 1", "scale = \"log\"", "value = 1"})
      row(key, "min = 1\nmax = 4", QString("values = [1, 2]\n%1").arg(key), "has more than one of");
    row("seed", "trials", "seed = -1\ntrials", "field 'seed': expected a whole number from 0");
    row("no device of each", "trials", "devices_per_replica = 0\ntrials",
        "field 'devices_per_replica': expected a whole number from 1 to 4096");
    row("resample", "kind = \"asha\"", "kind = \"pbt\"\nresample = 1.1",
        "field 'resample': expected a number from 0 to 1, found 1.1");
    row("a negative share", "kind = \"asha\"", "kind = \"pbt\"\nshare = -0.1",
        "field 'share': expected a number from 0 to 0.5, found -0.1");
    row("stop is no table", "[stop]\nkind = \"asha\"\nmin = 200\nmax = 9000", "stop = \"asha\"",
        "stop is not a table");
    row("none has no rungs", "kind = \"asha\"", "kind = \"none\"", "unknown field 'm");
    row("device", "trials", "device = \"gpu\"\ntrials", "lr.toml:4: field 'device': 'gpu' is not one of");
    row("seeds", "trials", "seeds = 0\ntrials", "field 'seeds': expected a whole number from 1 to 100");
    row("budget", "trials", "device_hours = 0\ntrials",
        "field 'device_hours': expected a number above 0, found 0");
    row("kind", "\"asha\"", "\"hyperband\"", "'hyperband' is not one of none, median, asha, pbt");
    row("no kind", "kind = \"asha\"\n", "", "lr.toml:6: field 'kind' is missing");
    row("unit", "max = 9000", "unit = \"epochs\"", "'epochs' is not one of iterations, steps");
    row("replicas", "trials", "replicas = \"many\"\ntrials", "lr.toml:4: field 'replicas': ");
    row("no end of a population", "kind = \"asha\"\nmin = 200\nmax = 9000", "kind = \"pbt\"\nmin = 200",
        "field 'max' is missing: without it pbt would not end");
    row("eta of a population", "kind = \"asha\"", "kind = \"pbt\"\neta = 3", "unknown field 'eta'");
    row("share", "kind = \"asha\"", "kind = \"pbt\"\nshare = 0.6",
        "field 'share': expected a number from 0 to 0.5, found 0.6");
    row("no first rung", "min = 200\n", "", "field 'min' is missing: a number above 0");
    row("one rung", "max = 9000", "max = 200", "lr.toml:9: field 'max': 200 is not above min, 200");
    row("eta", "max = 9000", "eta = 1", "field 'eta': expected a number above 1, found 1");
    row("log through zero", "min = 1e-3", "min = -1.0",
        "lr.toml:11: parameter 'lr' has a logarithmic scale, which does not reach its min -1");
    row("empty range", "max = 0.3", "max = 1e-3", "its min 0.001 is not below its max 0.001");
    row("half a range", "max = 0.3\n", "", "lr.toml:11: parameter 'lr' has no 'max'");
    row("no range", "min = 1\nmax = 4\n", "", "parameter 'layers' has no 'min'");
    row("range and list", "max = 4", "max = 4\nvalues = [1]", "has more than one of");
    row("scale", "\"log\"", "\"cubic\"", "field 'scale': 'cubic' is not one of linear, log");
    row("nobody", "max = 4", "max = 4\nwhen = { rule = \"sgd\" }",
        "lr.toml:16: parameter 'layers' depends on 'rule', and there is no such parameter");
    row("two conditions", "max = 4", "max = 4\nwhen = { a = 1, b = 2 }",
        "lr.toml:19: field 'when': expected one");
    row("itself", "max = 4", "max = 4\nwhen = { layers = 2 }", "parameter 'layers' depends on itself");
    row("no table", "[parameter.layers]\nmin = 1\nmax = 4", "[parameter]\nlayers = 3", "[parameter.layers]");
  }
  void wrongOnesAreNamed() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, words);
    VERIFY_THROWS("usage", words.toStdString(), read(changed(from.toStdString(), to.toStdString())));
  }

  void thereIsSomethingToSearch() {
    const std::string head = "program = \"x\"\nmetric = \"loss\"\ngoal = \"min\"\ntrials = 3\n";
    VERIFY_THROWS("usage", "there is nothing to search: add a table", read(head));
    VERIFY_THROWS("usage", "every parameter is fixed", read(head + "[parameter.lr]\nvalue = 0.1\n"));
    VERIFY_THROWS("not_found", "there is no sweep file", SweepFile::load("/nowhere/lr.toml"));
  }
};

BATCHSCOPE_TEST(TestSweepFile)
#include "test_sweep_file.moc"
