// SPDX-License-Identifier: Apache-2.0
//
// Reading recipes, and what is said about wrong ones.
#include <QTemporaryDir>
#include <filesystem>
#include <fstream>

#include "batchscope/run/machine.h"
#include "batchscope/run/recipe.h"
#include "rows.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;

namespace {

constexpr char kRecipe[] = R"(name = "digits"
title = "Handwritten digits"
description = "A small network."
program = "./program"
replicas = 2

[[parameter]]
name = "epochs"
type = "integer"
default = 5
min = 1
max = 100
help = "Passes over the data"

[[parameter]]
name = "lr"
type = "number"
default = 0.05

[[parameter]]
name = "rule"
type = "choice"
default = "adascale"
choices = ["adascale", "linear"]

[[parameter]]
name = "augment"
type = "flag"

[[parameter]]
name = "data"
type = "text"
)";

}  // namespace

class TestRecipe : public QObject {
  Q_OBJECT

  QTemporaryDir directory_;

  std::filesystem::path write(const std::string& text) const {
    const std::filesystem::path file = directory_.filePath("recipe.toml").toStdString();
    std::ofstream(file) << text;
    return file;
  }

 private Q_SLOTS:
  void initTestCase() {
    const std::filesystem::path program = directory_.filePath("program").toStdString();
    std::ofstream(program) << "#!/bin/true\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  }

  void aRecipeBecomesASpec() {
    const Recipe recipe = Recipe::load(write(kRecipe));
    QCOMPARE(recipe.title, "Handwritten digits");
    QCOMPARE(recipe.parameters.size(), 5u);
    QCOMPARE(*recipe.parameters[0].maximum, 100.0);
    const auto spec = recipe.spec({{"epochs", "7"}, {"augment", "true"}});
    const std::vector<std::string> expected{"--epochs", "7",        "--lr",     "0.05",
                                            "--rule",   "adascale", "--augment"};
    QCOMPARE(spec.arguments, expected);
    QCOMPARE(spec.replicas, 2);
    QCOMPARE(spec.program, directory_.filePath("program").toStdString());
  }

  void whatAFaultDoesCanBeSaid() {
    const std::string faults = R"(
[faults]
restart_budget = 2
non_finite = "restore"
collective_timeout = 5
hang_timeout = "1m"
rescale_timeout = "2m"
)";
    const auto spec = Recipe::load(write(kRecipe + faults)).spec();
    QCOMPARE(spec.restart_budget, 2);
    QCOMPARE(spec.non_finite, protocol::NonFinite::restore);
    QCOMPARE(spec.time_outs.collective, 5.0);
    QCOMPARE(spec.time_outs.step, 60.0);
    QCOMPARE(spec.time_outs.rescale, 120.0);
    QCOMPARE(spec.time_outs.checkpoint, 120.0);
  }

  void everyWrongValueIsTold() {
    const Recipe recipe = Recipe::load(write(kRecipe));
    const std::string text = testing::thrown_by([&] {
      recipe.spec({{"epochs", "0"}, {"lr", "fast"}, {"rule", "cubic"}, {"augment", "yes"}, {"depth", "3"}});
    });
    for (const char* part : {"epochs: expected a whole number of at least 1 and at most 100, found '0'",
                             "lr: expected a number", "rule: expected one of adascale, linear",
                             "augment: expected true or false", "depth: the recipe has no"})
      VERIFY_HOLDS(text, part);
  }

  void aNumberMayBeBoundByAnother() {
    const Recipe recipe = Recipe::load(write(std::string(kRecipe) +
                                             "[[parameter]]\nname = \"most\"\ntype = \"integer\"\n"
                                             "default = 8\nat_least = \"epochs\"\nunless = \"augment\"\n"));
    QVERIFY(recipe.complaints({}).empty());
    const auto complaints = recipe.complaints({{"epochs", "9"}});
    QCOMPARE(complaints.size(), 1u);
    QCOMPARE(complaints.at("most"), std::string("expected at least 9, the epochs"));
    VERIFY_HOLDS(testing::thrown_by([&] { recipe.spec({{"epochs", "9"}}); }), "most: expected at least 9");
    QVERIFY(recipe.complaints({{"epochs", "9"}, {"most", "9"}}).empty());
    QVERIFY(recipe.complaints({{"epochs", "9"}, {"augment", "true"}}).empty());
    QCOMPARE(recipe.complaints({{"epochs", "many"}}).count("most"), 0u);  // one fault is told once
  }

  void aCpuMayHaveADefaultOfItsOwn() {
    QString text = kRecipe;
    text.replace("default = 5\n", "default = 5\ndefault_cpu = 2\n");
    const Recipe recipe = Recipe::load(write(text.toStdString()));
    QCOMPARE(recipe.parameter("epochs")->value, std::string(Machine::here().gpus.empty() ? "2" : "5"));
    // A program that was started by hand knows nothing of it.
    QCOMPARE(recipe.values_of({"--lr", "0.5"})->at("epochs"), std::string("5"));
    QCOMPARE(recipe.values_of(recipe.arguments()), recipe.values({}));
  }

  void argumentsAreReadBack() {
    const Recipe recipe = Recipe::load(write(kRecipe));
    const Recipe::Values changed{{"epochs", "7"}, {"augment", "true"}, {"data", "a b"}};
    QCOMPARE(recipe.values_of(recipe.arguments(changed)), recipe.values(changed));
    const auto values = recipe.values_of({"--lr=0.5", "--rule", "linear"});
    QVERIFY(values.has_value());
    QCOMPARE(values->at("lr"), std::string("0.5"));
    QCOMPARE(values->at("epochs"), std::string("5"));
    for (const std::vector<std::string>& others :
         {std::vector<std::string>{"train.txt"}, {"--depth", "3"}, {"--epochs"}, {"--augment=no"}})
      QVERIFY(!recipe.values_of(others));
    protocol::RunSpec spec = recipe.spec();
    QVERIFY(recipe.made(spec));
    spec.recipe.clear();  // started by its program's name
    QVERIFY(recipe.made(spec));
    spec.program = "/bin/true";
    QVERIFY(!recipe.made(spec));
  }

  void faultsNameLineAndField_data() {
    const auto row = testing::columns<QString, QString, QString>({"change", "to", "expected"});
    row("syntax", "replicas = 2", "replicas = = 2", "recipe.toml:5");
    row("missing", "title = \"Handwritten digits\"", "", "'title' is missing");
    row("kind", "program = \"./program\"", "program = 5", "recipe.toml:4: field 'program'");
    row("auto range", "replicas = 2", "replicas = \"auto:4-1\"", "recipe.toml:5: field 'replicas'");
    row("range", "replicas = 2", "replicas = 0", "recipe.toml:5: field 'replicas'");
    row("misspelt", "default = 5", "defualt = 5", "recipe.toml:10: unknown field 'defualt'");
    row("default", "default = 5", "default = 500", "its default is wrong");
    row("no bound", "min = 1", "min = nan", "recipe.toml:11: field 'min': expected a number");
    row("bounds", "min = 1", "min = 101", "its min is above its max");
    row("type", "type = \"number\"", "type = \"real\"", "type 'real' is not one of");
    row("twice", "name = \"lr\"", "name = \"epochs\"", "'epochs' appears twice");
    row("choices", "choices = [\"adascale\", \"linear\"]", "", "needs the field 'choices'");
    const QString last = "name = \"data\"\ntype = \"text\"\n";
    row("conflict", last, last + "[faults]\nhang_timeout = \"5m\"",
        "--hang-timeout (300 s) must be below --rescale-timeout (60 s)");
    row("time", last, last + "[faults]\nhang_timeout = \"soon\"",
        "recipe.toml:34: field 'hang_timeout': 'soon' is not a duration");
    row("policy", last, last + "[faults]\nnon_finite = \"pray\"", "'pray' is not a policy");
    row("budget", last, last + "[faults]\nrestart_budget = -1", "field 'restart_budget'");
    row("endless budget", last, last + "[faults]\nrestart_budget = 1e300",
        "expected a whole number from 0 to 1000000");
    row("endless time", last, last + "[faults]\nrescale_timeout = inf", "field 'rescale_timeout'");
    row("name", "name = \"lr\"", "name = \"--lr\"", "a name has");
    row("cpu", "default = 5", "default = 5\ndefault_cpu = 500", "its default for a CPU is wrong");
    row("bound by none", "min = 1", "min = 1\nat_least = \"steps\"", "at_least compares two numbers");
    row("bound by a text", "min = 1", "min = 1\nat_least = \"data\"", "at_least compares two numbers");
    row("no flag", "min = 1", "min = 1\nat_least = \"lr\"\nunless = \"lr\"", "unless names a flag");
  }

  void faultsNameLineAndField() {
    QFETCH(QString, change);
    QFETCH(QString, to);
    QFETCH(QString, expected);
    QString text = kRecipe;
    QVERIFY(text.contains(change));
    text.replace(change, to);
    VERIFY_HOLDS(testing::thrown_by([&] { Recipe::load(write(text.toStdString())); }),
                 expected.toStdString());
  }

  void whatIsNotThereIsNotFound() {
    VERIFY_HOLDS(testing::thrown_by([&] { Recipe::load("/nowhere/recipe.toml"); }), "/nowhere/recipe.toml");
    QString text = kRecipe;
    text.replace("./program", "./missing");
    const Recipe recipe = Recipe::load(write(text.toStdString()));
    VERIFY_HOLDS(testing::thrown_by([&] { recipe.spec(); }), "missing");
  }
};

BATCHSCOPE_TEST(TestRecipe)
#include "test_recipe.moc"
