// SPDX-License-Identifier: Apache-2.0
//
// The values that a recipe takes, to their bounds, and what becomes of them in a run's spec.
#include <QScopeGuard>
#include <QTemporaryDir>
#include <filesystem>
#include <memory>

#include "batchscope/protocol/replicas.h"
#include "batchscope/run/recipe.h"
#include "batchscope/run/toml_fields.h"
#include "rows.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;
namespace fs = std::filesystem;

namespace {

constexpr char kHead[] = "name = \"digits\"\ntitle = \"Digits\"\nprogram = \"./program\"\n";

}  // namespace

class TestRecipeValues : public QObject {
  Q_OBJECT

  using Type = Parameter::Type;
  using Words = std::vector<std::string>;

  QTemporaryDir folder_;

  fs::path write(const std::string& text) const {
    const fs::path file = folder_.filePath("recipe.toml").toStdString();
    testing::write_file(file, text);
    return file;
  }
  void write_program(const fs::path& file) const {
    testing::write_file(file, "#!/bin/true\n");
    fs::permissions(file, fs::perms::owner_all);
  }
  // Reads a recipe with these lines.
  Recipe with(const std::string& lines) const { return Recipe::load(write(kHead + lines)); }
  // Returns what is wrong with such a recipe, without its file.
  std::string fault(const std::string& lines) const {
    const std::string thrown = testing::thrown_by([&] { with(lines); });
    const std::string file = folder_.filePath("recipe.toml").toStdString();
    const auto at = thrown.find(file);
    return at == std::string::npos ? thrown : thrown.substr(at + file.size() + 1);
  }
  static std::string parameter(const std::string& type, const std::string& lines) {
    return "[[parameter]]\nname = \"x\"\ntype = \"" + type + "\"\n" + lines + "\n";
  }

 private Q_SLOTS:
  void initTestCase() { write_program(folder_.filePath("program").toStdString()); }

  void aValueIsToldWhatIsWrongWithIt_data() {
    const auto row =
        testing::columns<Type, QString, QString, QString>({"type", "bounds", "value", "complaint"});
    const QString whole = QStringLiteral("expected a whole number"),
                  any = QStringLiteral("expected a number");
    row("whole", Type::integer, "", "7", "");
    row("a half", Type::integer, "", "7.5", whole);
    row("whole, with an exponent", Type::integer, "", "1e3", "");
    row("words behind it", Type::integer, "", "7 apples", whole);
    row("nothing", Type::integer, "", "", whole);
    row("endless", Type::number, "", "inf", any);
    row("none", Type::number, "", "nan", any);
    row("a number", Type::number, "", "-7.5", "");
    row("at the least", Type::integer, "min", "2", "");
    row("below the least", Type::integer, "min", "1", whole + " of at least 2");
    row("at the most", Type::integer, "max", "4", "");
    row("above the most", Type::integer, "max", "5", whole + " of at most 4");
    row("below both", Type::number, "both", "1.9", any + " of at least 2 and at most 4");
    row("within both", Type::number, "both", "2.5", "");
    row("above both", Type::number, "both", "4.1", any + " of at least 2 and at most 4");
    row("any text", Type::text, "", "", "");
    row("a choice", Type::choice, "", "b", "");
    row("no choice", Type::choice, "", "c", "expected one of a, b");
    row("set", Type::flag, "", "true", "");
    row("not set", Type::flag, "", "false", "");
    row("perhaps", Type::flag, "", "True", "expected true or false");
  }
  void aValueIsToldWhatIsWrongWithIt() {
    QFETCH(Type, type);
    QFETCH(QString, bounds);
    QFETCH(QString, value);
    Parameter parameter;
    parameter.type = type;
    parameter.choices = {"a", "b"};
    if (bounds == "min" || bounds == "both") parameter.minimum = 2;
    if (bounds == "max" || bounds == "both") parameter.maximum = 4;
    QTEST(QString::fromStdString(parameter.complaint(value.toStdString())), "complaint");
  }

  void faultsSayWhereTheyAre_data() {
    const auto row = testing::columns<QString, QString>({"lines", "fault"});
    const auto of_x = [](const char* type, const char* lines) {
      return QString::fromStdString(parameter(type, lines));
    };
    row("a pair of no devices", "devices_per_replica = 0",
        "4: field 'devices_per_replica': expected a whole number from 1 to " +
            QString::number(protocol::kMostReplicas) + ", found 0");
    row("one device and a half", "devices_per_replica = 1.5", "found 1.5");
    row("devices beyond number", "devices_per_replica = " + QString::number(protocol::kMostReplicas + 1),
        "found " + QString::number(protocol::kMostReplicas + 1));
    row("no table", "faults = 3", "4: faults is not a table: write what a fault does below [faults]");
    row("no list", "parameter = 3", "4: parameters are written as [[parameter]]");
    row("unknown fault", "[faults]\nhope = 3", "5: unknown field 'hope'");
    row("half a restart", "[faults]\nrestart_budget = 2.5",
        "5: field 'restart_budget': expected a whole number from 0 to 1000000");
    row("a restart too many", "[faults]\nrestart_budget = 1000001", "5: field 'restart_budget'");
    row("bounds of a text", of_x("text", "min = 1"),
        "4: parameter 'x': min and max are for integer and number");
    row("bounds of a flag", of_x("flag", "max = 1"),
        "4: parameter 'x': min and max are for integer and number");
    row("no number", of_x("integer", ""), "its default is wrong: expected a whole number");
    row("a flag with another default", of_x("flag", "default = 3"), "its default is wrong");
    row("relation of a text", of_x("text", "at_least = \"x\""),
        "parameter 'x': at_least compares two numbers: this parameter or 'x' is not one");
    row("relation to none", of_x("number", "default = 1\nunless = \"y\""),
        "parameter 'x': unless names a flag, and 'y' is not one");
    row("capitals", "[[parameter]]\nname = \"X\"\ntype = \"flag\"", "a name has a-z, 0-9, - and _ only");
    row("no text", "description = 3", "4: field 'description': expected a text in quotes");
    row("choices of numbers", of_x("choice", "choices = [1]"),
        "7: field 'choices': expected a text in quotes");
    row("one choice", of_x("choice", "choices = \"a\""), "7: field 'choices': expected a list of texts");
    row("empty", "[[parameter]]\nname = \"\"\ntype = \"flag\"", "5: field 'name' is empty");
    row("misspelt", "[[parameter]]\nname = \"x\"\ntpye = \"flag\"",
        "6: unknown field 'tpye'; did you mean type?");
    row("a text that ends early", "description = \"a\\u0000b\"",
        "4: field 'description': a text cannot hold a NUL (\\u0000): take it out");
    row("a text beside a number",
        of_x("text", "at_least = \"y\"") + of_x("integer", "default = 1").replace("\"x\"", "\"y\""),
        "parameter 'x': at_least compares two numbers: this parameter or 'y' is not one");
    row("a list", of_x("text", "default = []"),
        "7: field 'default': expected a text, a number, true or false");
  }
  void faultsSayWhereTheyAre() {
    QFETCH(QString, lines);
    QFETCH(QString, fault);
    VERIFY_HOLDS(this->fault(lines.toStdString()), fault.toStdString());
  }

  void whatIsWithinItsBoundsIsTaken() {
    QCOMPARE(with("devices_per_replica = 1").devices_per_replica, 1);
    QCOMPARE(with("devices_per_replica = " + std::to_string(protocol::kMostReplicas)).devices_per_replica,
             protocol::kMostReplicas);
    QCOMPARE(with("[faults]\nrestart_budget = 0").restart_budget, 0);
    QCOMPARE(with("[faults]\nrestart_budget = 1000000").restart_budget, 1'000'000);
    QCOMPARE(with("[faults]\ncheckpoint_timeout = \"5m\"").time_outs.checkpoint, 300.0);
    QCOMPARE(with(parameter("integer", "default = 2\nmin = 2\nmax = 2")).parameters[0].value, "2");
    QCOMPARE(with("[[parameter]]\nname = \"a-b_9\"\ntype = \"flag\"").parameters[0].value, "false");
    QCOMPARE(with(parameter("number", "default = 0.5\nhelp = \"So\"")).parameters[0].help, "So");
    QCOMPARE(with(parameter("text", "")).parameters[0].value, "");
    for (const auto& [written, read] :
         {std::pair("true", "true"), {"false", "false"}, {"-3", "-3"}, {"0.5", "0.5"}, {"\"a b\"", "a b"}})
      QCOMPARE(with(parameter("text", std::string("default = ") + written)).parameters[0].value, read);
    QVERIFY(with("").parameters.empty());
    QVERIFY(with("").parameter("x") == nullptr);
  }

  void allOfItIsInTheSpec() {
    const Recipe recipe =
        with("replicas = \"auto:2-4\"\ndevices_per_replica = 3\n[faults]\nnon_finite = \"stop\"\n");
    const protocol::RunSpec spec = recipe.spec();
    QCOMPARE(spec.name, "digits");
    QCOMPARE(spec.replicas, 2);
    QVERIFY(spec.auto_replicas == (protocol::AutoReplicas{2, 4}));
    QCOMPARE(spec.devices_per_replica, 3);
    QCOMPARE(spec.recipe, folder_.filePath("recipe.toml").toStdString());
    QCOMPARE(spec.working_directory, fs::current_path().string());
    QCOMPARE(spec.non_finite, protocol::NonFinite::stop);
    QVERIFY(spec.arguments.empty());
    QCOMPARE(with("").spec().devices_per_replica, 0);
    QCOMPARE(with("").spec().replicas, 1);
    QVERIFY(!with("").spec().auto_replicas);
  }

  void argumentsAreWhatIsSaid() {
    const Recipe recipe = with(parameter("text", "") + "[[parameter]]\nname = \"flag\"\ntype = \"flag\"\n" +
                               "[[parameter]]\nname = \"lr\"\ntype = \"number\"\ndefault = 0.5\n");
    QVERIFY(recipe.arguments({}) == (Words{"--lr", "0.5"}));  // what is empty is left out
    QVERIFY(recipe.arguments({{"flag", "true"}, {"x", "a=b"}}) ==
            (Words{"--x", "a=b", "--flag", "--lr", "0.5"}));
    const auto read = recipe.values_of({"--x=a=b", "--flag", "--lr", "--x"});
    QCOMPARE(read->at("x"), "a=b");
    QCOMPARE(read->at("flag"), "true");
    QCOMPARE(read->at("lr"), "--x");
    QCOMPARE(recipe.values_of({"--x="})->at("x"), "");
    QCOMPARE(recipe.values_of({})->at("flag"), "false");
    for (const Words& others :
         {Words{"-x", "1"}, Words{"--"}, Words{"--x"}, Words{"--flag=true"}, Words{"x"}})
      QVERIFY(!recipe.values_of(others));
  }

  void severalFaultsAreToldTogether() {
    const Recipe recipe =
        with(parameter("integer", "default = 1") +
             "[[parameter]]\nname = \"y\"\ntype = \"integer\"\ndefault = 1\nat_least = \"x\"\n");
    VERIFY_THROWS("usage",
                  "recipe digits: x: expected a whole number, found 'a'; z: the recipe has no such "
                  "parameter, found 'b'",
                  recipe.spec({{"x", "a"}, {"z", "b"}}));
    QCOMPARE(testing::thrown_by([&] {
               recipe.spec({{"y", "a"}});
             }),
             "usage: recipe digits: y: expected a whole number, found 'a'");
    QCOMPARE(testing::thrown_by([&] {
               recipe.spec({{"x", "2"}});
             }),
             "usage: recipe digits: y: expected at least 2, the x");
    QCOMPARE(testing::thrown_by([&] {
               recipe.spec({{"x", "2"}, {"y", "1"}});
             }),
             "usage: recipe digits: y: expected at least 2, the x, found '1'");
  }

  // As files of sweeps have them.
  void listsAreOfTextsOrNumbers() {
    const auto file = write("some = [1, true, \"a\", 0.5]\none = 3\nbad = [[]]\n");
    const toml::table table = read_toml(file, "list");
    TomlFields fields(file, table);
    QVERIFY(fields.scalars("some") == (Words{"1", "true", "a", "0.5"}));
    QVERIFY(fields.scalars("none").empty());
    QVERIFY(fields.texts("none").empty());
    VERIFY_THROWS("usage", "recipe.toml:2: field 'one': expected a list in brackets", fields.scalars("one"));
    VERIFY_THROWS("usage", "recipe.toml:3: field 'bad': expected a text, a number", fields.scalars("bad"));
    VERIFY_THROWS("usage", "recipe.toml:2: field 'one': expected a list of texts", fields.texts("one"));
    VERIFY_THROWS("usage", "recipe.toml:1: field 'some': expected a text in quotes", fields.texts("some"));
    VERIFY_THROWS("not_found", "there is no list /no/file", read_toml("/no/file", "list"));
    fields.no_others();
  }

  // A path is the recipe's, a name that of a program of ours.
  void programsAreFoundBesideTheRecipeOrBesideOurs() {
    QTemporaryDir ours;
    qputenv("BATCHSCOPE_BIN", ours.path().toUtf8());
    const auto forget = qScopeGuard([] { qunsetenv("BATCHSCOPE_BIN"); });
    const fs::path program = ours.filePath("trainer").toStdString();
    const Recipe recipe = Recipe::load(write("name = \"a\"\ntitle = \"A\"\nprogram = \"trainer\"\n"));
    const std::string missing = "not_found: recipe a: there is no program " + program.string() +
                                "; build it, or correct 'program' in " + recipe.file.string();
    QCOMPARE(testing::thrown_by([&] { recipe.spec(); }), missing);
    testing::write_file(program, "no program");
    QCOMPARE(testing::thrown_by([&] { recipe.spec(); }), missing);
    write_program(program);
    const protocol::RunSpec spec = recipe.spec();
    QCOMPARE(spec.program, program.string());
    QVERIFY(recipe.made(spec));
    protocol::RunSpec other = spec;
    other.recipe = "/another/recipe.toml";
    QVERIFY(!recipe.made(other));
    other.recipe.clear();
    QVERIFY(recipe.made(other));
    fs::remove(program);
    QVERIFY(!recipe.made(other));
  }

  void installedRecipesAreListedByNameAndOnce() {
    QTemporaryDir ours;
    qputenv("BATCHSCOPE_BIN", ours.path().toUtf8());
    const auto forget = qScopeGuard([] { qunsetenv("BATCHSCOPE_BIN"); });
    const fs::path recipes = ours.filePath("recipes").toStdString();
    QVERIFY(!installed_recipe("b-of-a-test"));
    for (const auto& [folder, name] : {std::pair{"one", "b-of-a-test"},
                                       {"two", "a-of-a-test"},
                                       {"five", "e-of-a-test"},
                                       {"six", "d-of-a-test"},
                                       {"seven", "g-of-a-test"},
                                       {"eight", "f-of-a-test"}})
      testing::write_file(recipes / folder / "recipe.toml",
                          std::string("name = \"") + name + "\"\ntitle = \"T\"\nprogram = \"./p\"\n");
    testing::write_file(recipes / "broken" / "recipe.toml", "name =");
    testing::write_file(recipes / "three" / "other.toml", "");
    Words names;
    for (const Recipe& recipe : installed_recipes())
      if (recipe.name.ends_with("-of-a-test")) names.push_back(recipe.name);
    QVERIFY(names == (Words{"a-of-a-test", "b-of-a-test", "d-of-a-test", "e-of-a-test", "f-of-a-test",
                            "g-of-a-test"}));
    QCOMPARE(installed_recipe("b-of-a-test")->file, recipes / "one" / "recipe.toml");
    QVERIFY(!installed_recipe("c-of-a-test"));
    testing::write_file(recipes / "four" / "recipe.toml",
                        "name = \"a-of-a-test\"\ntitle = \"T\"\nprogram = \"./p\"\n");
    int same = 0;
    for (const Recipe& recipe : installed_recipes()) same += recipe.name == "a-of-a-test" ? 1 : 0;
    QCOMPARE(same, 1);
  }
};

BATCHSCOPE_TEST(TestRecipeValues)
#include "test_recipe_values.moc"
