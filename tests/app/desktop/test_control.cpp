// SPDX-License-Identifier: GPL-3.0-or-later
//
// The control panel against a supervisor of the test's own behind a real control socket: what is pressed is
// what is sent, and what the supervisor says is what is shown.
#include <QCheckBox>
#include <QLabel>
#include <QLocalServer>
#include <QLocalSocket>
#include <QMessageBox>
#include <QPushButton>
#include <algorithm>
#include <optional>

#include "control/control_panel.h"
#include "control/replica_buttons.h"
#include "control/restart_steps.h"
#include "test_case.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;
using protocol::Request;

namespace {

class FakeSupervisor {
 public:
  explicit FakeSupervisor(const std::string& id) {
    status_.run = id;
    status_.state = protocol::RunState::running;
    status_.replicas = status_.target_replicas = 2;
    status_.generation = 2;
    const QString socket = QString::fromStdString(protocol::run_paths(id).control_socket.string());
    QLocalServer::removeServer(socket);
    if (!server_.listen(socket)) qFatal("cannot listen on %s", qPrintable(socket));
    QObject::connect(&server_, &QLocalServer::newConnection, &server_, [this] {
      socket_ = server_.nextPendingConnection();
      QObject::connect(socket_, &QLocalSocket::readyRead, socket_, [this] { read(); });
    });
  }

  std::vector<Request> commands;  // without subscribe
  std::optional<Error> refusal;

  void say(const protocol::RunStatus& status) {
    status_ = status;
    protocol::Json event = {{"v", 1}, {"event", "status"}, {"status", status}};
    write(event.dump() + "\n");
  }
  protocol::RunStatus status() const { return status_; }

 private:
  void read() {
    while (socket_->canReadLine()) {
      const Request request = Request::parse(socket_->readLine().trimmed().toStdString());
      const bool asks =
          request.command == Request::Command::subscribe || request.command == Request::Command::status;
      if (!asks) commands.push_back(request);
      if (!asks && refusal) {
        write(protocol::error_line(request.id, *refusal));
      } else if (request.command == Request::Command::checkpoint) {
        const protocol::Json written{
            {"name", "g2-s1200"}, {"step", 1200}, {"bytes", 41'000'000}, {"seconds", 0.3}};
        write(protocol::reply_line(request.id, written));
      } else {
        write(protocol::reply_line(request.id, protocol::Json(status_)));
      }
    }
  }
  void write(std::string line) {
    if (line.empty() || line.back() != '\n') line += '\n';
    socket_->write(line.data(), static_cast<qint64>(line.size()));
    socket_->flush();
  }

  QLocalServer server_;
  QLocalSocket* socket_ = nullptr;
  protocol::RunStatus status_;
};

QPushButton* buttonOf(const ReplicaButtons& buttons, int replicas) {
  for (QPushButton* button : buttons.findChildren<QPushButton*>())
    if (button->isVisibleTo(&buttons) && button->text() == QString::number(replicas)) return button;
  return nullptr;
}

}  // namespace

class TestControl : public test::WindowTest {
  Q_OBJECT

  std::unique_ptr<FakeSupervisor> supervisor_;

  QMessageBox* shownQuestion() const {
    for (auto* each : window_->findChildren<QMessageBox*>())
      if (each->isVisible()) return each;
    return nullptr;
  }

  bool says(const QString& words) const {
    const auto labels = window_->control()->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
      return label->isVisibleTo(window_->control()) && label->text().contains(words);
    });
  }

 private Q_SLOTS:
  void initTestCase() {
    applyTheme(Theme::Mode::Dark);
    const std::string id = test::writeSyntheticRun(
        catalogue_, {.stepsPerGeneration = 200, .state = protocol::RunState::running});
    QVERIFY(catalogue_.claim_supervisor(id));
    supervisor_ = std::make_unique<FakeSupervisor>(id);
    showWindow();
    QTRY_VERIFY(window_->session()->isConnected());
    QTRY_COMPARE(window_->session()->status().replicas, 2);
  }

  void whatOthersHoldIsDimmed() {
    ReplicaButtons buttons;
    buttons.setDevices({.all = 4, .free = 2, .areGpus = false});
    const auto hint = [&](int replicas) { return buttonOf(buttons, replicas)->toolTip(); };
    QCOMPARE(hint(2), QStringLiteral("2 replicas"));
    QVERIFY2(hint(4).contains(QStringLiteral("2 of 4")), qPrintable(hint(4)));
    QVERIFY2(hint(8).contains(QStringLiteral("each step takes longer")), qPrintable(hint(8)));
    buttons.setDevices({.all = 4, .free = 2, .areGpus = true});
    QVERIFY2(hint(4).contains(QStringLiteral("GPU")), qPrintable(hint(4)));
    buttons.setPrediction([](int replicas) { return QStringLiteral("≈ %1").arg(100 * replicas); });
    QCOMPARE(hint(2), QStringLiteral("2 replicas\n≈ 200"));
  }

  void init() {
    supervisor_->commands.clear();
    supervisor_->refusal.reset();
  }

  void pressingANumberAndTheButtonRescales() {
    QPushButton* restart = window_->control()->restartButton();
    QVERIFY(!restart->isEnabled());  // nothing to do on as many as there are
    const ReplicaButtons& replicas = *window_->control()->replicas();
    QTRY_VERIFY(buttonOf(replicas, 1) != nullptr);
    QTest::mouseClick(buttonOf(replicas, 1), Qt::LeftButton);
    QCOMPARE(restart->text(), QStringLiteral("Restart on 1 replica"));
    QVERIFY(restart->isEnabled());
    QTest::mouseClick(restart, Qt::LeftButton);
    QTRY_COMPARE(supervisor_->commands.size(), 1u);
    QCOMPARE(supervisor_->commands[0].command, Request::Command::rescale);
    QCOMPARE(*supervisor_->commands[0].replicas, 1);
  }

  void whatIsMeasuredAndWhatIsPredictedAreToldApart() {
    protocol::RunStatus status = supervisor_->status();
    status.latest = {{"local_batch_size", 64}, {"accumulation_steps", 0}};
    supervisor_->say(status);
    window_->control()->replicas()->choose(2);
    QTRY_VERIFY(says(QStringLiteral("Measured now: goodput ")));
    QTRY_VERIFY(says(QStringLiteral("The model predicts ≈")));
    window_->control()->replicas()->choose(4);
    QVERIFY(says(QStringLiteral("Predicted goodput ≈")) && says(QStringLiteral("predicted for now")));
    QVERIFY(says(QStringLiteral("Measured now: ")));
    window_->control()->replicas()->choose(16);
    QVERIFY(says(QStringLiteral("16 replicas share 8 devices: no faster than 8")));
    window_->control()->replicas()->choose(2);
  }

  void whatARestartWasPredictedToBringStandsBesideWhatItBrought() {
    const std::string id = window_->session()->run().id;
    storage::Generation last = window_->session()->generations().back();
    last.predicted_goodput = 18'412;
    last.predicted_error = 0.25;
    last.obtained_goodput = -1;
    catalogue_.put_generation(id, last);
    QTRY_VERIFY(says(QStringLiteral("18,410 (14,730 to 23,020) samples/s, still being measured")));
    last.obtained_goodput = 17'891;
    catalogue_.put_generation(id, last);
    QTRY_VERIFY(says(QStringLiteral("obtained 17,890 (−3 %)")));
  }

  void autoIsSwitchedOnAndOff() {
    QCheckBox* automatic = window_->control()->autoSwitch();
    QVERIFY(automatic->isEnabled() && !automatic->isChecked());
    automatic->click();
    QTRY_COMPARE(supervisor_->commands.size(), 1u);
    QCOMPARE(supervisor_->commands[0].command, Request::Command::rescale);
    QVERIFY(supervisor_->commands[0].auto_replicas == protocol::AutoReplicas{});

    protocol::RunStatus status = supervisor_->status();
    status.auto_replicas = "auto:1-4";
    supervisor_->say(status);
    QTRY_VERIFY(automatic->isChecked());
    automatic->click();
    QTRY_COMPARE(supervisor_->commands.size(), 2u);
    QCOMPARE(*supervisor_->commands[1].replicas, 2);  // the present number
    status.auto_replicas.clear();
    supervisor_->say(status);
    QTRY_VERIFY(!automatic->isChecked());
  }

  void theKeyboardRescalesToo() {
    window_->control()->replicas()->setChosen(2);
    window_->activateWindow();
    QTest::keyClick(window_.get(), Qt::Key_Up, Qt::ControlModifier);
    QCOMPARE(window_->control()->replicas()->chosen(), 3);
    QTest::keyClick(window_.get(), Qt::Key_Return, Qt::ControlModifier);
    QTRY_COMPARE(supervisor_->commands.size(), 1u);
    QCOMPARE(*supervisor_->commands[0].replicas, 3);
  }

  void aRestartIsShownAsItHappens() {
    protocol::RunStatus status = supervisor_->status();
    status.state = protocol::RunState::restarting;
    status.phase = "launch";
    status.phase_seconds = 0.2;
    status.replicas = status.target_replicas = 3;  // the new generation is being started
    window_->control()->restartButton()->setFocus();
    supervisor_->say(status);
    QTRY_COMPARE(window_->session()->status().phase, std::string("launch"));
    QVERIFY(!window_->control()->restartButton()->isEnabled());
    QVERIFY(!window_->control()->stopButton()->hasFocus());
    QStringList titles;
    for (const QLabel* label : window_->control()->findChildren<QLabel*>()) titles << label->text();
    QVERIFY2(titles.contains(QStringLiteral("Restarting, 2 → 3")), qPrintable(titles.join(QLatin1Char('|'))));
    const auto* steps = window_->control()->findChild<RestartSteps*>();
    QCOMPARE(steps->accessibleDescription(), QStringLiteral("Launch"));
    status.state = protocol::RunState::running;
    status.phase.clear();
    supervisor_->say(status);
    QTRY_VERIFY(window_->session()->status().phase.empty());
    QCOMPARE(window_->control()->replicas()->chosen(), 3);
    QVERIFY2(steps->accessibleDescription().startsWith(QStringLiteral("Checkpoint ")),
             qPrintable(steps->accessibleDescription()));
  }

  void checkpointPauseAndStopAreSent() {
    QTest::mouseClick(window_->control()->checkpointButton(), Qt::LeftButton);
    QTest::mouseClick(window_->control()->pauseButton(), Qt::LeftButton);
    QTRY_COMPARE(supervisor_->commands.size(), 2u);
    QCOMPARE(supervisor_->commands[0].command, Request::Command::checkpoint);
    QTRY_COMPARE(test::notice(*window_),
                 QStringLiteral("Checkpoint g2-s1200 is written: step 1,200, 41 MB, in 0.30 s."));
    QCOMPARE(supervisor_->commands[1].command, Request::Command::pause);
  }

  void stoppingIsAskedFor() {
    QTest::mouseClick(window_->control()->stopButton(), Qt::LeftButton);
    auto* question = window_->findChild<QMessageBox*>();
    QVERIFY(question != nullptr);
    QVERIFY(supervisor_->commands.empty());
    for (QAbstractButton* button : question->buttons()) {
      if (question->buttonRole(button) == QMessageBox::DestructiveRole) button->click();
    }
    QTRY_COMPARE(supervisor_->commands.size(), 1u);
    QCOMPARE(supervisor_->commands[0].command, Request::Command::stop);
  }

  void aCheckpointIsPromisedOnlyOfAProgramThatMakesOne() {
    protocol::RunStatus status = supervisor_->status();
    for (const bool makes : {true, false}) {
      status.rescalable = makes;
      supervisor_->say(status);
      QTRY_COMPARE(window_->session()->status().rescalable, makes);
      QTest::mouseClick(window_->control()->stopButton(), Qt::LeftButton);
      QMessageBox* const question = shownQuestion();
      QVERIFY(question != nullptr);
      const QString text = question->informativeText();
      QVERIFY2(text.startsWith(makes ? QStringLiteral("The run writes a checkpoint first")
                                     : QStringLiteral("Its program reports no checkpoints")),
               qPrintable(text));
      QTest::keyClick(question, Qt::Key_Escape);
      QTRY_VERIFY(shownQuestion() == nullptr);
    }
    QVERIFY(supervisor_->commands.empty());
  }

  // Another run may come to be shown while it is asked, such as by a notice's button.
  void theRunThatWasAskedAboutIsStopped() {
    const std::string asked = window_->session()->run().id;
    const std::string other = test::writeListedRun(catalogue_, "other", protocol::RunState::finished, 0.5);
    watcher_.reload();
    QTest::mouseClick(window_->control()->stopButton(), Qt::LeftButton);
    const QPointer<QMessageBox> question = shownQuestion();
    QVERIFY(question != nullptr);
    window_->openRun(other);
    QCOMPARE(window_->session()->run().id, other);
    for (QAbstractButton* button : question->buttons())
      if (question->buttonRole(button) == QMessageBox::DestructiveRole) button->click();
    QTRY_COMPARE(supervisor_->commands.size(), 1u);
    QCOMPARE(supervisor_->commands[0].command, Request::Command::stop);
    window_->openRun(asked);
    QTRY_VERIFY(window_->session()->isConnected());
  }

  void aRefusalIsTold() {
    supervisor_->refusal = Error(ErrorKind::conflict, "a restart is under way");
    QTest::mouseClick(window_->control()->checkpointButton(), Qt::LeftButton);
    QTRY_COMPARE(test::notice(*window_), QStringLiteral("a restart is under way"));
  }
};

BATCHSCOPE_TEST(TestControl)
#include "test_control.moc"
