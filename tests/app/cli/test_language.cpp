// SPDX-License-Identifier: Apache-2.0
//
// The terminal in another language: a made-up one (tools/words.py), which has each text in brackets and a
// third longer. Words outside of brackets are data, or nobody asked the translators for them.
#include <QRegularExpression>

#include "command_test.h"
#include "rows.h"

using namespace batchscope;
using namespace batchscope::cli;

namespace {

constexpr char kLupdate[] = "/usr/lib/qt6/bin/lupdate";

QString inSimulation(const QString& name) { return QStringLiteral(SIMULATION_FOLDER "/") + name; }

QString without(QString text, const QString& pattern) {
  return text.remove(QRegularExpression(pattern, QRegularExpression::MultilineOption));
}

// Returns the lines with words outside of brackets that are not data of every command. `data` is a pattern of
// words that are data of this one.
QStringList bareLines(QString text, const QString& data) {
  // The words that are typed, behind "Usage:", and the program's name in front of an error.
  text = without(text, QStringLiteral("(?<=\\]: )batchscope( [a-z-]+)*(?= \\[)|^batchscope(?=: )"));
  for (qsizetype before = -1; before != text.size();) {
    before = text.size();
    text = without(text, QStringLiteral("\\[[^\\[\\]]*\\]"));
  }
  for (const char* every : {
           "<[^>]*>",                            // tags of a picture
           "^  [a-z][a-z-]*(?=  |$)",            // commands in a list of them
           "(?<![\\w])--?[a-z][a-z-]*(=\\S+)?",  // flags
           "\\b[A-Z][A-Z_]+\\b([=.][a-z]+)?",    // names of values, and headings that are names of fields
           "\\S*/\\S*",                          // paths, and units such as samples/s
           "\\b(?=\\w*\\d)[0-9a-z]{8}\\b",       // ids of runs
           "\\b(min|ms)\\b",
       })
    text = without(text, QString::fromLatin1(every));
  if (!data.isEmpty()) text = without(text, "\\b(" + data + ")\\b");
  return text.split('\n').filter(QRegularExpression(QStringLiteral("\\p{L}{3,}")));
}

// Returns the text without what the made-up language adds to it, what columns add between the words, and the
// ends of plurals, which it does not choose: "2 run(s)".
QString plain(const QString& text) { return without(text, QStringLiteral("\\(s\\)|[\\[\\]~\\ss]")); }

}  // namespace

class TestLanguage : public CommandTest {
  Q_OBJECT

  QTemporaryDir words_;

  Answer askIn(const QString& language, const QString& line) const {
    return sandbox_->ask(line.split(' '),
                         {{"BATCHSCOPE_WORDS", words_.path()}, {"BATCHSCOPE_LANGUAGE", language}});
  }

  // Verifies that all that a command says is translated, and is the same but for the words' language.
  void verifyTranslated(const QString& line, const QString& data = {}) const {
    const Answer english = askIn("en", line), made_up = askIn("xx", line);
    QCOMPARE(made_up.code, english.code);
    for (const QString& text : {made_up.out, made_up.err}) {
      const QStringList bare = bareLines(text, data);
      QVERIFY2(bare.isEmpty(), qPrintable(line + ":\n" + bare.join('\n') + "\nof\n" + text));
    }
    QCOMPARE(plain(made_up.out), plain(english.out));
    QCOMPARE(plain(made_up.err), plain(english.err));
  }

  // Returns the names of the commands, those of families in two words.
  QStringList commands(const QString& family = {}) const {
    QStringList names;
    for (const QString& line :
         ask(QStringList{"__complete"} + family.split(' ', Qt::SkipEmptyParts) + QStringList{""})
             .out.split('\n', Qt::SkipEmptyParts))
      names << (family + " " + line.section('\t', 0, 0)).trimmed();
    return names;
  }

 private Q_SLOTS:
  void initTestCase() {
    if (!QFileInfo::exists(kLupdate)) QSKIP("there is no lupdate");
    QProcess tool;
    tool.start("python3", {WORDS_TOOL, "--made-up", words_.path()});
    const Answer made = Sandbox::finish(tool);
    QVERIFY2(made.code == kExitOk, qPrintable(made.err));
    newSandbox();
    VERIFY_CODE(kExitOk, ask({"import", KEPT_FOLDER "/fitted.jsonl"}));
    write("broken.csv", "name,time\n\"a\n");
    write("text.txt", "not JSON\n");
  }

  void helpIsTranslated() {
    QStringList all = commands() + commands("sweep") +
                      QStringList{"serve tokens", "serve link", "slurm-job", "slurm-nodes"};
    QVERIFY2(all.size() > 50 && all.contains("sweep best"), qPrintable(all.join(' ')));
    for (const QString& command : std::as_const(all)) verifyTranslated(command + " --help");
    for (const char* topic : {"--help", "help", "help exit-codes", "help sweep-file", "help run"})
      verifyTranslated(topic);
  }

  void outputIsTranslated_data() {
    const auto add = testing::columns<QString, QString>({"line", "data"});
    const auto row = [&](const char* line, const char* data = "") { add(line, line, data); };
    row("ls", "fitted|finished");
    row("ls --columns id,name,state,age,duration,fraction,loss", "fitted|finished");
    row("plot fitted loss --width 150", "fitted|loss");
    row("plot fitted loss --x time --log --width 150", "fitted|loss");
    row("plot fitted loss -o -", "fitted|loss");
    row("serve tokens");
    row("__complete ls --");
    const QString simulate =
        QStringLiteral("simulate %1 --profiles %2 --nodes 1 --gpus 2 --policy fifo,fair ")
            .arg(inSimulation("workload.csv"), inSimulation("profiles"));
    add("simulate", simulate + "--expect fair.makespan<1 --expect fifo.makespan>1", "fifo|fair|makespan");
    add("simulate --gantt", simulate + "--gantt -", "fifo|fair|even");
  }

  void outputIsTranslated() {
    QFETCH(QString, line);
    QFETCH(QString, data);
    verifyTranslated(line, data);
  }

  void errorsAreTranslated_data() {
    testing::rows("line", {
                              "qqq",
                              "--qqq",
                              "sweep qqq",
                              "help qqq",
                              "run --qqq",
                              "show",
                              "show fitted qqq",
                              "ls --where=",
                              "ls --limit qqq",
                              "plot fitted --width 5",
                              "plot fitted --x qqq",
                              "plot fitted qqq",
                              "plot fitted loss --from 1000000",
                              "sweep export --csv --toml",
                              "run --name",
                              "run --name a --name b",
                              "rescale",
                              "gc --days qqq",
                              "serve --listen 0.0.0.0",
                              "ls --columns qqq",
                              "export fitted --format sqlite -o -",
                              "export fitted -o runs.db",
                              "export fitted -o text.txt",
                              "export fitted -o qqq/qqq",
                              "import qqq.jsonl",
                              "import text.txt",
                              "simulate",
                              "simulate qqq.csv --profiles .",
                              "simulate broken.csv --profiles .",
                              "simulate --profiles runs:qqq",
                              "rm --purge fitted",
                          });
  }

  void errorsAreTranslated() {
    QFETCH(QString, line);
    QVERIFY(askIn("xx", line).code != kExitOk);
    verifyTranslated(line, "qqq|fitted|loss|csv|jsonl|txt");
  }

  void jsonStaysAsItIs_data() {
    testing::rows("line",
                  {"ls --json", "plot fitted loss --json", "serve tokens --json", "show fitted --json"});
  }

  void jsonStaysAsItIs() {
    QFETCH(QString, line);
    const Answer english = askIn("en", line), made_up = askIn("xx", line);
    QCOMPARE(english.code, kExitOk);
    QCOMPARE(made_up.out, english.out);
  }

  void missingLanguagesAreRefused() {
    VERIFY_REFUSED(kExitUsage, "BATCHSCOPE_LANGUAGE: there is no translation \"yy\"", askIn("yy", "ls"));
  }
};

BATCHSCOPE_TEST(TestLanguage)
#include "test_language.moc"
