// SPDX-License-Identifier: Apache-2.0
//
// Sweeps of Weights & Biases: what they become, and what is said of the rest.
#include "batchscope/sweep/wandb.h"

#include <QTemporaryDir>
#include <cmath>

#include "rows.h"
#include "spaces.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::sweep;
using namespace batchscope::testing;

namespace {

constexpr char kWandbSweep[] = R"(program: train.py
project: digits
method: bayes
run_cap: 40
metric:
  name: val_loss
  goal: minimize
parameters:
  epochs:
    value: 5
  optimizer:
    values: [sgd, adam]
    probabilities: [0.3, 0.7]
  batch_size:
    min: 16
    max: 256
  lr:
    distribution: log_uniform_values
    min: 1e-4
    max: 0.1
  dropout:
    min: 0.0
    max: 0.5
  units:
    distribution: q_uniform
    min: 32
    max: 256
    q: 32
early_terminate:
  type: hyperband
  s: 2
  eta: 3
  max_iter: 27
)";

}  // namespace

class TestWandb : public QObject {
  Q_OBJECT

  QTemporaryDir directory_;

  Imported read(const std::string& text) const {
    const auto file = std::filesystem::path(directory_.path().toStdString()) / "sweep.yaml";
    write_file(file, text);
    return import_wandb(file);
  }
  static std::string changed(const std::string& from, const std::string& to) {
    std::string text = kWandbSweep;
    return text.replace(text.find(from), from.size(), to);
  }
  Parameter parameter(const std::string& lines) const {
    return read("program: p\nmethod: random\nmetric: {name: loss}\nparameters:\n  x: " + lines)
        .sweep.parameters.at(0);
  }

 private Q_SLOTS:
  void aFileBecomesASweep() {
    const auto [sweep, notes] = read(kWandbSweep);
    QCOMPARE(sweep.name, std::string("sweep"));
    QCOMPARE(sweep.program, std::string("python3"));
    QVERIFY(sweep.arguments == std::vector<std::string>{"train.py"});
    QVERIFY(sweep.metric == "val_loss" && sweep.goal == Goal::min && sweep.method == Method::tpe &&
            sweep.trials == 40);
    QVERIFY(sweep.stop == (StopRule{StopRule::Kind::asha, 3, 27, 3}));
    QVERIFY(sweep.parameters ==
            (std::vector{choice("epochs", {"5"}), choice("optimizer", {"sgd", "adam"}),
                         integer("batch_size", 16, 256), real("lr", 1e-4, 0.1, true), real("dropout", 0, 0.5),
                         with_step(integer("units", 32, 256), 32)}));
    const std::string at = directory_.filePath("sweep.yaml:").toStdString();
    QCOMPARE(
        notes,
        (std::vector<std::string>{
            at + "2: 'project' has no counterpart here and is left out",
            at + "3: 'method' bayes, a Gaussian process, becomes tpe",
            at + "13: 'parameters.optimizer.probabilities' is not supported: all values are equally likely",
            at + "30: 'early_terminate' hyperband becomes asha, whose min and max are scale-invariant "
                 "iterations, where W&B counts calls of log(): check min and max"}));
    // The result is a file of ours.
    const auto file = std::filesystem::path(directory_.path().toStdString()) / "ours.toml";
    write_file(file, sweep.text());
    QVERIFY(SweepFile::load(file) == sweep);
  }

  void distributions() {
    QVERIFY(parameter("{min: 1, max: 8}") == integer("x", 1, 8));
    QVERIFY(parameter("{min: 1, max: 8.0}") == real("x", 1, 8));
    QVERIFY(parameter("{distribution: uniform, min: 1, max: 8}") == real("x", 1, 8));
    QVERIFY(parameter("{distribution: q_uniform, min: 0, max: 1, q: 0.25}") ==
            with_step(real("x", 0, 1), 0.25));
    QVERIFY(parameter("{distribution: log_uniform, min: -3, max: 0}") == real("x", std::exp(-3), 1, true));
    QVERIFY(parameter("{distribution: inv_log_uniform, min: 0, max: 3}") == real("x", std::exp(-3), 1, true));
    QVERIFY(parameter("{distribution: inv_log_uniform_values, min: 0.1, max: 3}") == real("x", 0.1, 3, true));
    QVERIFY(parameter("{values: [true, 2, x y]}") == choice("x", {"true", "2", "x y"}));
  }

  void whatIsNotSaidIsUsual() {
    const std::string start = "program: p\nmethod: random\nmetric: {name: loss, goal: maximize}\n",
                      one = "parameters: {x: {min: 1, max: 2}}\n";
    const auto [sweep, notes] = read(start + one);
    QCOMPARE(sweep.trials, std::optional(100));
    QVERIFY(sweep.goal == Goal::max && sweep.method == Method::random && sweep.stop == StopRule{});
    QCOMPARE(notes.size(), std::size_t{1});
    VERIFY_HOLDS(notes[0], "sweep.yaml:1: there is no run_cap, so trials is 100");
    QCOMPARE(read(start + one + "run_cap: 0\n").sweep.trials, std::optional(1));
    QCOMPARE(read(start + one + "run_cap: 1e9\n").sweep.trials, std::optional(SweepFile::kMostTrials));
    QCOMPARE(read(start + one + "name: mine\n").sweep.name, std::string("mine"));
    QCOMPARE(read(start + one + "name: ''\n").sweep.name, std::string("sweep"));
    QCOMPARE(read(start + one + "name: [mine]\n").sweep.name, std::string("sweep"));
    const auto others = read(
        start +
        "run_cap: 3\nparameters: {x: {min: 1, max: 2, mu: 3}, y: {value: 1, q: 2}, z: {values: [1], q: 2}}\n"
        "early_terminate: {type: hyperband, min_iter: 3, strict: true}\n");
    QCOMPARE(others.notes.size(), std::size_t{5});
    VERIFY_HOLDS(others.notes[0], "'parameters.x.mu' has no counterpart");
    VERIFY_HOLDS(others.notes[1], "'parameters.y.q' has no counterpart");
    VERIFY_HOLDS(others.notes[2], "'parameters.z.q' has no counterpart");
    VERIFY_HOLDS(others.notes[3], "hyperband becomes asha");
    VERIFY_HOLDS(others.notes[4], "'early_terminate.strict' has no counterpart");
    const auto grid = read("program: p\nmethod: grid\nmetric: {name: loss}\n" + one);
    QVERIFY(!grid.sweep.trials && grid.sweep.goal == Goal::min && grid.notes.empty());
    QVERIFY(parameter("{distribution: q_uniform, min: 0, max: 8}") == with_step(integer("x", 0, 8), 1));
    QVERIFY(parameter("{distribution: q_uniform, min: 0, max: 8, q: 0.5}") ==
            with_step(real("x", 0, 8), 0.5));
    QVERIFY(parameter("{distribution: q_uniform, min: 0.5, max: 8, q: 1}") ==
            with_step(real("x", 0.5, 8), 1));
    QVERIFY(parameter("{distribution: int_uniform, min: 1, max: 8}") == integer("x", 1, 8));
    QVERIFY(parameter("{distribution: categorical, values: [1, 2]}") == choice("x", {"1", "2"}));
  }

  // W&B's bracket: the first of s rungs below max_iter, or min_iter.
  void rungsOfHyperband() {
    const auto stop = [&](const std::string& lines) {
      return read(
          "program: p\nmethod: random\nmetric: {name: loss}\nrun_cap: 3\n"
          "parameters: {x: {min: 1, max: 2}}\nearly_terminate: {" +
          lines + "}\n");
    };
    QVERIFY(stop("type: hyperband, min_iter: 3").sweep.stop == (StopRule{StopRule::Kind::asha, 3, {}, 3}));
    QVERIFY(stop("type: hyperband, min_iter: 3, eta: 2, max_iter: 12, s: 1").sweep.stop ==
            (StopRule{StopRule::Kind::asha, 3, 12, 2}));
    QVERIFY(stop("type: hyperband, min_iter: 1").sweep.stop == (StopRule{StopRule::Kind::asha, 1, {}, 3}));
    const Imported bare = read(
        "program: p\nmethod: grid\nmetric: {name: loss}\n"
        "parameters: {x: {min: 1, max: 2}}\nearly_terminate: hyperband\n");
    QVERIFY(bare.sweep.stop == StopRule{});
    VERIFY_HOLDS(bare.notes.at(0), "'early_terminate': '' is not supported");
    const Imported other = stop("type: envelope");
    QVERIFY(other.sweep.stop == StopRule{});
    VERIFY_HOLDS(other.notes.at(0), "'envelope' is not supported: every trial is trained to its end");
    VERIFY_THROWS("usage", "eta' must be above 1", stop("type: hyperband, min_iter: 3, eta: 1"));
    for (const char* wrong : {"type: hyperband, min_iter: 0", "type: hyperband, min_iter: 3, max_iter: 3"})
      VERIFY_THROWS("usage", "must be above 0 and below max_iter", stop(wrong));
  }

  void commands() {
    const std::string start =
        "method: random\nmetric: {name: loss}\nrun_cap: 3\nparameters: {x: {min: 1, max: 2}}\n";
    const auto command = [&](const std::string& lines) {
      const SweepFile sweep = read(start + lines).sweep;
      std::string words = sweep.program;
      for (const std::string& word : sweep.arguments) words += " " + word;
      return words;
    };
    QCOMPARE(command("program: ./train"), std::string("./train"));
    QCOMPARE(command("program: a/train.py"), std::string("python3 a/train.py"));
    QCOMPARE(
        command("program: t.py\ncommand: ['${env}', '${interpreter}', -u, '${program}', --fast, '${args}']"),
        std::string("python3 -u t.py --fast"));
    VERIFY_THROWS("usage", "sweep.yaml:6: 'command': ${args_json} is not supported",
                  read(start + "program: t.py\ncommand: ['${program}', '${args_json}']"));
    for (const char* none :
         {"", "program: ''\n", "program: x\ncommand: []\n", "program: x\ncommand: ['${env}']\n",
          "program: ''\ncommand: ['${program}', x]\n"})
      VERIFY_THROWS("usage", "nothing is trained", read(start + none));
    QCOMPARE(command("program: t.py\ncommand: ['/usr/bin/env', '${program}']"), std::string("t.py"));
  }

  // A setting that would make it another search is refused.
  void whatIsNotSupportedIsNamed_data() {
    const auto row = columns<QString, QString, QString>({"from", "to", "words"});
    row("no yaml", "method: bayes", "method: [bayes", "sweep.yaml:");
    row("method", "bayes", "annealing",
        "sweep.yaml:3: 'method': 'annealing' is not one of grid, random, bayes");
    row("metric", "  name: val_loss\n", "", "'metric' is missing");
    row("metric's name alone", "metric:\n  name: val_loss\n  goal: minimize\n", "metric: loss\n",
        "'metric' is missing");
    row("no table of parameters", "parameters:\n", "parameters: 3\nothers:\n", "'parameters' is missing");
    row("goal", "minimize", "least", "sweep.yaml:7: 'metric.goal': 'least'");
    row("distribution", "log_uniform_values", "normal",
        "'parameters.lr': the distribution 'normal' is not supported");
    row("nested", "value: 5", "parameters: {a: {value: 1}}", "'parameters.epochs': nested parameters");
    row("no range", "    min: 16\n", "", "'parameters.batch_size': expected value, values, or min and max");
    row("text", "min: 16", "min: many", "sweep.yaml:15: 'parameters.batch_size.min': expected a number");
    row("empty range", "max: 256\n  lr", "max: 16\n  lr",
        "sweep.yaml:14: parameter 'batch_size' has no values");
    row("fixed", "parameters:\n", "parameters: {x: {value: 1}}\nothers:\n", "every parameter is fixed");
    row("endless grid", "bayes", "grid", "parameter 'lr' has endlessly many values");
    row("iterations", "  s: 2\n", "", "'early_terminate': expected min_iter, or max_iter and s");
    row("no list", "[sgd, adam]", "3", "sweep.yaml:12: 'parameters.optimizer.values': expected a list");
    row("no text", "method: bayes", "method: [bayes]", "sweep.yaml:3: 'method': expected a text or a number");
    row("no number", "run_cap: 40", "run_cap: many", "sweep.yaml:4: 'run_cap': expected a number");
    row("endless", "max: 256\n  lr", "max: .inf\n  lr", "'parameters.batch_size.max': expected a number");
    row("no name", "val_loss", "\"\"", "'metric.name' is empty");
    row("no parameter", "optimizer:\n", "other: 5\n  optimizer:\n",
        "'parameters.other': expected value, values, or min and max");
    row("no max", "    max: 256\n  lr", "  lr",
        "'parameters.batch_size': expected value, values, or min and max");
    row("no parameters", "parameters:\n", "parameters: {}\nothers:\n", "'parameters' is missing");
  }
  void whatIsNotSupportedIsNamed() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, words);
    VERIFY_THROWS("usage", words.toStdString(), read(changed(from.toStdString(), to.toStdString())));
  }

  // Characters of strangers' texts that would drive a terminal are gone.
  void textsArePrintable() {
    const auto sweep = read(changed("values: [sgd, adam]", "values: [\"s\\eg\", \"\\xFF\"]")).sweep;
    QVERIFY(sweep.parameters.at(1).choices == (std::vector<std::string>{"s g", "\u00FF"}));
  }

  void nonsenseIsRefused() {
    for (const char* text : {"", "3", "[1, 2]", "a: b", "method: {a: b}\nprogram: x", "\t:", "&a [*a]"})
      QCOMPARE(QString::fromStdString(kind_of([&] { read(text); })), QString("usage"));
    QCOMPARE(QString::fromStdString(kind_of([] { import_wandb("/nowhere.yaml"); })), QString("not_found"));
  }
};

BATCHSCOPE_TEST(TestWandb)
#include "test_wandb.moc"
