// SPDX-License-Identifier: Apache-2.0
//
// Behaviour on a terminal alone, on a real one (a pseudo-terminal): bars redrawn in place, colours,
// questions.
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

#include "command_test.h"
#include "rows.h"

using namespace batchscope;
using namespace batchscope::cli;

namespace {

struct Session {
  ExitCode code = static_cast<ExitCode>(-1);
  QString screen;
};

// Runs the program on a terminal and types the text into it.
Session converse(const Sandbox& sandbox, const QStringList& arguments, const QByteArray& typed,
                 const QMap<QString, QString>& variables) {
  int ours = -1, theirs = -1;
  if (openpty(&ours, &theirs, nullptr, nullptr, nullptr) != 0) return {};
  auto process = sandbox.prepare(arguments, variables);
  process->setChildProcessModifier([theirs] {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(theirs, descriptor);
  });
  process->start();
  if (!process->waitForStarted()) return {};
  close(theirs);
  if (write(ours, typed.data(), static_cast<std::size_t>(typed.size())) != typed.size()) return {};

  // Reads until the last descriptor of the other side is closed.
  Session session;
  QByteArray screen, block(4096, 0);
  pollfd readable{ours, POLLIN, 0};
  while (poll(&readable, 1, Sandbox::kPatienceMs) > 0) {
    const auto bytes = read(ours, block.data(), static_cast<std::size_t>(block.size()));
    if (bytes <= 0) break;
    screen.append(block.constData(), bytes);
  }
  close(ours);
  session.code = Sandbox::finish(*process).code;
  session.screen = QString::fromUtf8(screen);
  return session;
}

}  // namespace

class TestTerminal : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    int ours = -1, theirs = -1;
    if (openpty(&ours, &theirs, nullptr, nullptr, nullptr) != 0)
      QSKIP("there are no terminals here: /dev/pts is not mounted");
    close(ours);
    close(theirs);
    qputenv("TERM", "xterm");
    qunsetenv("NO_COLOR");
  }
  void init() { newSandbox(); }

  void redrawsBarsInPlace() {
    const Session session = train({{"COLUMNS", "80"}, {"LC_ALL", "C.UTF-8"}});
    QCOMPARE(session.code, kExitOk);
    QVERIFY2(session.screen.contains("\x1b[4F"), "back to the first of four lines");
    QVERIFY2(session.screen.contains("\x1b[32m"), "green");
    VERIFY_HOLDS(session.screen, "━━━");
    VERIFY_HOLDS(session.screen, "training on 1 replica");
    QVERIFY2(session.screen.trimmed().split('\n').last().contains("finished"), qPrintable(session.screen));
  }

  void respectsNoColourAndAscii() {
    const Session session = train({{"COLUMNS", "40"}, {"LC_ALL", "C"}, {"NO_COLOR", "1"}});
    QCOMPARE(session.code, kExitOk);
    QVERIFY(!session.screen.contains(QRegularExpression("\x1b\\[[0-9;]*m")));
    VERIFY_HOLDS(session.screen, "###");
    for (const QChar character : session.screen) QVERIFY(character.unicode() < 128);
    QVERIFY2(!session.screen.contains("locale"), "Qt's warning about the locale is none of ours");
  }

  void letsOutputScrollAboveTheBars() {
    const Session session =
        converse(*sandbox_,
                 {"run", "--", "/bin/sh", "-c",
                  "sleep 0.5; printf 'one\\033[2J\\ntwo\\n'; printf '10 %%\\r'; sleep 0.5; "
                  "printf '20 %%\\n'"},
                 "", {{"COLUMNS", "40"}, {"NO_COLOR", "1"}});
    QCOMPARE(session.code, kExitOk);
    VERIFY_HOLDS(session.screen, "\x1b[Jone\r\n", "two\r\n", "20 %\r\n");
    QVERIFY2(!session.screen.contains("\x1b[2J"), "the program does not clear the screen");
    const auto screen = shownOn(session.screen);
    const auto at = [&](const char* line) { return screen.indexOf(QRegularExpression(line)); };
    QVERIFY2(at("one") >= 0 && at("one") < at("two") && at("two") < at("20 %") &&
                 at("20 %") < at("sh \\w+  finished.*"),
             qPrintable(screen.join('\n')));
    QCOMPARE(screen.filter(QRegularExpression("^sh \\w+  ")).size(), 1);
  }

  void asksBeforeDeleting_data() {
    const auto row = testing::columns<QByteArray, bool>({"typed", "removed"});
    row("yes", "y\n", true);
    row("no", "n\n", false);
    row("nothing", "\n", false);
    row("end of file", "\x04", false);
  }
  void asksBeforeDeleting() {
    QFETCH(QByteArray, typed);
    QFETCH(bool, removed);
    const std::string id = makeRun().toStdString();

    const Session session = converse(*sandbox_, {"rm", "--purge", "latest"}, typed, {});
    VERIFY_HOLDS(session.screen, "Delete digits");
    QCOMPARE(session.code, removed ? kExitOk : kExitConflict);
    QCOMPARE(catalogue().run(id).has_value(), !removed);
  }

 private:
  // The lines that a terminal shows after this text, which uses of ECMA-48 what LiveBlock does.
  static QStringList shownOn(const QString& text) {
    static const QRegularExpression kSequence("\x1b\\[(\\d*)([FJK])|\r\n|[^\x1b\r]+");
    QStringList lines{""};
    qsizetype row = 0;
    for (auto each = kSequence.globalMatch(text); each.hasNext();) {
      const auto match = each.next();
      if (match.captured(2) == "F") {
        row -= match.captured(1).toInt();
      } else if (match.captured(2) == "J") {
        lines.resize(row + 1);
        lines[row].clear();
      } else if (match.captured(2) == "K") {
        lines[row].clear();
      } else if (match.captured() == "\r\n") {
        if (++row == lines.size()) lines << "";
      } else {
        lines[row] += match.captured();
      }
    }
    return lines;
  }

  Session train(const QMap<QString, QString>& variables) const {
    return converse(*sandbox_, {"run", qEnvironmentVariable("FAKE_REPLICA"), "--", "--steps", "100"}, "",
                    variables);
  }
};

BATCHSCOPE_TEST(TestTerminal)
#include "test_terminal.moc"
