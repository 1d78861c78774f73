// SPDX-License-Identifier: Apache-2.0
//
// What only happens on a terminal, on a real one (a pseudo-terminal): bars redrawn in place, colours,
// questions.
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

#include "batchscope/protocol/error.h"
#include "batchscope/storage/catalogue.h"
#include "sandbox.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::cli;

namespace {

struct Session {
  int code = -1;
  QString screen;
};

// Runs the program on a terminal and types the text into it.
Session converse(const Sandbox& sandbox, const QStringList& arguments, const QByteArray& typed,
                 const QMap<QString, QString>& variables) {
  int ours = -1, theirs = -1;
  if (openpty(&ours, &theirs, nullptr, nullptr, nullptr) != 0) return {};
  auto process = sandbox.prepare(arguments);
  QProcessEnvironment environment = process->processEnvironment();
  environment.insert("TERM", "xterm");
  environment.remove("NO_COLOR");
  for (const auto& [name, value] : variables.asKeyValueRange()) environment.insert(name, value);
  process->setProcessEnvironment(environment);
  process->setChildProcessModifier([theirs] {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(theirs, descriptor);
  });
  process->start();
  if (!process->waitForStarted()) return {};
  close(theirs);
  if (write(ours, typed.data(), static_cast<std::size_t>(typed.size())) != typed.size()) return {};

  // Until the last descriptor of the other side is closed.
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

class TestTerminal : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    int ours = -1, theirs = -1;
    if (openpty(&ours, &theirs, nullptr, nullptr, nullptr) != 0)
      QSKIP("there are no terminals here: /dev/pts is not mounted");
    close(ours);
    close(theirs);
  }
  void init() { sandbox_ = std::make_unique<Sandbox>(); }

  void redrawsBarsInPlace() {
    const Session session = train({{"COLUMNS", "80"}, {"LC_ALL", "C.UTF-8"}});
    QCOMPARE(session.code, int(kExitOk));
    QVERIFY2(session.screen.contains("\x1b[4F"), "back to the first of four lines");
    QVERIFY2(session.screen.contains("\x1b[32m"), "green");
    QVERIFY2(session.screen.contains("━━━"), qPrintable(session.screen));
    QVERIFY2(session.screen.contains("training on 1 replica"), qPrintable(session.screen));
    QVERIFY2(session.screen.trimmed().split('\n').last().contains("finished"), qPrintable(session.screen));
  }

  void respectsNoColourAndAscii() {
    const Session session = train({{"COLUMNS", "40"}, {"LC_ALL", "C"}, {"NO_COLOR", "1"}});
    QCOMPARE(session.code, int(kExitOk));
    QVERIFY(!session.screen.contains(QRegularExpression("\x1b\\[[0-9;]*m")));
    QVERIFY2(session.screen.contains("###"), qPrintable(session.screen));
    for (const QChar character : session.screen) QVERIFY(character.unicode() < 128);
    QVERIFY2(!session.screen.contains("locale"), "Qt's warning about the locale is none of ours");
  }

  void asksBeforeDeleting_data() {
    QTest::addColumn<QByteArray>("typed");
    QTest::addColumn<bool>("removed");
    QTest::newRow("yes") << QByteArray("y\n") << true;
    QTest::newRow("no") << QByteArray("n\n") << false;
    QTest::newRow("nothing") << QByteArray("\n") << false;
    QTest::newRow("end of file") << QByteArray("\x04") << false;
  }

  void asksBeforeDeleting() {
    QFETCH(QByteArray, typed);
    QFETCH(bool, removed);
    storage::Catalogue catalogue(sandbox_->database().toStdString());
    protocol::RunSpec spec;
    spec.name = "digits";
    spec.program = "/bin/true";
    const std::string id = catalogue.create_run(spec);
    catalogue.set_state(id, protocol::RunState::finished);

    const Session session = converse(*sandbox_, {"rm", "--purge", "latest"}, typed, {});
    QVERIFY2(session.screen.contains("Delete digits"), qPrintable(session.screen));
    QCOMPARE(session.code, removed ? int(kExitOk) : int(kExitConflict));
    QCOMPARE(catalogue.run(id).has_value(), !removed);
  }

 private:
  Session train(const QMap<QString, QString>& variables) const {
    return converse(*sandbox_, {"run", qEnvironmentVariable("FAKE_REPLICA"), "--", "--steps", "100"}, "",
                    variables);
  }

  std::unique_ptr<Sandbox> sandbox_;
};

BATCHSCOPE_TEST(TestTerminal)
#include "test_terminal.moc"
