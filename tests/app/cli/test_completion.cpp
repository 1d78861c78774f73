// SPDX-License-Identifier: Apache-2.0
//
// Completion, as the program answers it and as real shells use it.
#include <QStandardPaths>

#include "command_test.h"
#include "rows.h"

using namespace batchscope;
using namespace batchscope::cli;

class TestCompletion : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    newSandbox();
    id_ = makeRun({.name = "digits", .hyperparameters = {{"optimizer", "adam"}}, .steps = 20});
    removed_ = makeRun({.name = "two words", .steps = 20});
  }

  void completesCommands() {
    QCOMPARE(complete({"plo"}), QStringList({"plot"}));
    QVERIFY(complete({""}).contains("run") && complete({""}).size() > 25);
    QVERIFY2(!complete({""}).contains("supervise"), "the supervisor's own command is not for people");
    QCOMPARE(complete({"help", "resc"}), QStringList({"rescale"}));
    QCOMPARE(complete({"nosuch", ""}), QStringList());
  }

  void completesFlags() {
    QCOMPARE(complete({"run", "--rep"}), QStringList({"--replicas", "--report"}));
    QCOMPARE(complete({"--ver"}), QStringList({"--version"}));
  }

  void completesValues() {
    QCOMPARE(complete({"export", "latest", "--format", "j"}), QStringList({"json", "jsonl"}));
    QCOMPARE(complete({"export", "--format", "=", "cs"}), QStringList({"csv"}));
    QCOMPARE(complete({"export", "--format=cs"}), QStringList({"--format=csv"}));
    QCOMPARE(complete({"plot", "latest", "--x", "t"}), QStringList({"time"}));
    QCOMPARE(complete({"completion", ""}), QStringList({"bash", "zsh", "fish"}));
    QCOMPARE(complete({"import", ""}), QStringList({":files"}));
    QCOMPARE(complete({"run", "digits", "--", ""}), QStringList({":files"}));
    QCOMPARE(complete({"rescale", "latest", ""}), QStringList());
  }

  void completesRuns() {
    QCOMPARE(complete({"show", "dig"}), QStringList({"digits"}));
    QVERIFY(complete({"show", ""}).contains("latest") && complete({"show", ""}).contains(id_));
    QCOMPARE(complete({"diff", "latest", "dig"}), QStringList({"digits"}));
    QCOMPARE(complete({"plot", "latest", "--with", "dig"}), QStringList({"digits"}));
    QCOMPARE(complete({"restore", ""}), QStringList());
    QCOMPARE(ask({"rm", removed_}).code, kExitOk);
    QVERIFY(complete({"restore", ""}).contains(removed_));
    QVERIFY(!complete({"show", ""}).contains(removed_));
  }

  void completesSeriesAndFields() {
    QCOMPARE(complete({"plot", "digits", ""}), QStringList({"loss", "strange"}));
    QCOMPARE(complete({"plot", "digits", "loss", "--log", "str"}), QStringList({"strange"}));
    QCOMPARE(complete({"tail", "nosuch", ""}), QStringList());
    QCOMPARE(complete({"ls", "--columns", "id,opti"}), QStringList({"id,optimizer"}));
    QCOMPARE(complete({"ls", "--sort", "-accur"}), QStringList({"-accuracy"}));
  }

  void makesNoStore() {
    const Sandbox empty;
    QCOMPARE(empty.ask({"__complete", "show", ""}).out, QString());
    QVERIFY(!QFile::exists(empty.database()));
  }

  void worksInBash() {
    const auto answer = [&](const QString& words, int at) {
      return run("bash", {"-c", "source <(batchscope completion bash); COMP_WORDS=(" + words +
                                    "); COMP_CWORD=" + QString::number(at) +
                                    "; _batchscope; printf '%s\\n' \"${COMPREPLY[@]}\""});
    };
    QCOMPARE(answer("batchscope plo", 1), "plot\n");
    QCOMPARE(answer("batchscope show dig", 2), "digits\n");
    QCOMPARE(answer("batchscope plot digits str", 3), "strange\n");
    QCOMPARE(answer("batchscope show two", 2), "two\\ words\n");
    QCOMPARE(answer("batchscope export --format = csv", 4), "csv\n");
    QCOMPARE(run("bash", {"-c", "source <(batchscope completion bash); complete -p batchscope"}),
             "complete -F _batchscope batchscope\n");
  }

  void isUnderstoodByOtherShells_data() { testing::rows("name", {"zsh", "fish"}); }

  void isUnderstoodByOtherShells() {
    QFETCH(QString, name);
    const QString script = ask({"completion", name}).out;
    QVERIFY(script.contains("batchscope __complete") || script.contains("__complete"));
    if (QStandardPaths::findExecutable(name).isEmpty()) QSKIP("this shell is not installed");
    if (name == "fish")
      QCOMPARE(run(name, {"-c", "batchscope completion fish | source; complete -C 'batchscope plo'"})
                   .split('\t')[0],
               "plot");
    else
      QCOMPARE(run(name, {"-fc",
                          "autoload -U compinit; compinit -u -D; source <(batchscope completion zsh); print "
                          "$_comps[batchscope]"}),
               "_batchscope\n");
  }

 private:
  QStringList complete(const QStringList& words) const {
    QStringList texts;
    for (const QString& line : ask(QStringList{"__complete"} + words).out.split('\n', Qt::SkipEmptyParts))
      texts << line.split('\t')[0];
    return texts;
  }

  QString run(const QString& program, const QStringList& arguments) const {
    const auto process = sandbox_->prepare(arguments, {{"PATH", Sandbox::ourPath()}});
    process->setProgram(program);
    const Answer answer = Sandbox::run(*process);
    return answer.out + answer.err;
  }

  QString removed_;
};

BATCHSCOPE_TEST(TestCompletion)
#include "test_completion.moc"
