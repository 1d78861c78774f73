// SPDX-License-Identifier: GPL-3.0-or-later
//
// A run that trains on a cluster and is only followed: the window says where, why it waits and until when,
// and hands on what its buttons ask, by a command that a script stands in for here.
#include <QCheckBox>
#include <QMessageBox>
#include <QPushButton>

#include "batchscope/storage/origins.h"
#include "control/control_panel.h"
#include "control/replica_buttons.h"
#include "queue/device_timeline.h"
#include "test_case.h"
#include "text_files.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;

class TestElsewhere : public test::WindowTest {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    programs_ = qgetenv("BATCHSCOPE_BIN");
    command("echo \"$@\" >> " + asked() + "\necho \"done: $1\"");
    qputenv("BATCHSCOPE_BIN", store_.path("bin").toUtf8());
  }
  void cleanupTestCase() { qputenv("BATCHSCOPE_BIN", programs_); }

  void whyItWaitsBeforeItsFirstJob() {
    take(storage::RunState::pending, 0);
    origins().set_job(kRun, kWaiting);
    open();
    QVERIFY(shows("No nodes are free for it yet (Resources); expected to start"));
    for (const char* text : {"hpc", "gpu", "12", "1-3", "Pending"}) QVERIFY2(shows(text), text);
    button("Hold")->click();
    QTRY_COMPARE(takenWords(), QString("hold %1\n").arg(kRun));
    button("Cancel …")->click();
    answer("Cancel there");
    QTRY_COMPARE(takenWords(), QString("hold %1\ncancel %1\n").arg(kRun));
    origins().set_job(kRun, held());
    watcher_.reload();
    QTRY_VERIFY(shows("Held"));
    QCOMPARE(button("Hold"), nullptr);
    button("Release")->click();
    QTRY_VERIFY(takenWords().endsWith(QString("release %1\n").arg(kRun)));
  }

  // Between two jobs the charts stay.
  void whyItWaitsBetweenTwoJobs() {
    take(storage::RunState::pending, 40);
    origins().set_job(kRun, kWaiting);
    open();
    QVERIFY(window_->dashboard()->isVisible());
    QVERIFY(
        shows("job 12 on hpc, partition gpu: No nodes are free for it yet (Resources); expected to start"));
    QVERIFY(control()->stopButton()->isEnabled());
    QVERIFY(!control()->checkpointButton()->isEnabled());
    control()->stopButton()->click();
    answer("Stop the run");
    QTRY_COMPARE(takenWords(), QString("stop %1\n").arg(kRun));
  }

  void aRunThatNobodyHearsOfIsNotSaidToTrain() {
    take(storage::RunState::running, 40);
    open();
    QVERIFY(!shows("Last heard "));
    const auto heard = protocol::run_paths(kRun).root / "heard";
    std::filesystem::create_directories(heard.parent_path());
    testing::write_file(heard, "");
    std::filesystem::last_write_time(heard,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::minutes(2));
    watcher_.reload();
    QTRY_VERIFY(shows("Last heard "));
  }

  void buttonsAreHandedOn() {
    take(storage::RunState::running, 40);
    origins().set_job(kRun, {"hpc", "gpu", "12", "RUNNING", "", 1e9, "n[1-2]"});
    open();
    QVERIFY(shows("job 12 on hpc, partition gpu, n[1-2]"));
    QSignalSpy said(session(), &RunSession::said);
    control()->checkpointButton()->click();
    QCOMPARE(said.value(0).value(0).toString(), QString("Sending this to hpc …"));
    QTRY_COMPARE(said.value(1).value(0).toString(), QString("done: checkpoint"));
    control()->replicas()->choose(1);
    control()->restartButton()->click();
    QTRY_VERIFY(takenWords().endsWith(QString("rescale %1 1\n").arg(kRun)));
    control()->autoSwitch()->click();
    QTRY_COMPARE(takenWords().count("rescale"), 2);
    control()->pauseButton()->click();
    QTRY_VERIFY(takenWords().endsWith(QString("pause %1\n").arg(kRun)));
    control()->stopButton()->click();
    QVERIFY(!takenWords().contains("stop"));  // it asks first
    answer("Keep training");
    take(storage::RunState::stopped, 40);
    watcher_.reload();
    QTRY_COMPARE(control()->pauseButton()->text(), QString("Resume"));
    control()->pauseButton()->click();
    QTRY_VERIFY(takenWords().endsWith(QString("resume %1 --detach\n").arg(kRun)));
  }

  void whatIsRefusedIsTold() {
    command("echo 'batchscope: no way there' >&2; exit 4");
    take(storage::RunState::running, 40);
    open();
    QSignalSpy failed(session(), &RunSession::commandFailed);
    control()->checkpointButton()->click();
    QTRY_COMPARE(failed.value(0).value(0).toString(), QString("no way there"));
    QVERIFY(QFile::remove(store_.path("bin/batchscope")));
    control()->checkpointButton()->click();
    QTRY_VERIFY(failed.value(1).value(0).toString().contains("is missing"));
  }

  void devicesOfNodesHaveLanes() {
    take(storage::RunState::running, 40);
    open();
    window_->showPage(Page::Queue);
    const auto* lanes = window_->findChild<DeviceTimeline*>();
    QTRY_COMPARE(lanes->lanes().size(), 2u);
    QCOMPARE(lanes->lanes().at(1).device, std::string("n2/cpu:0"));
  }

  void cleanup() {
    window_.reset();
    QFile::remove(QString::fromUtf8(asked()));
  }

 private:
  static constexpr char kRun[] = "aaaaaaaa";
  inline static const storage::ClusterJob kWaiting{"hpc", "gpu", "12", "PENDING", "Resources", 4e9, "1-3"};
  static storage::ClusterJob held() {
    storage::ClusterJob job = kWaiting;
    job.reason = "JobHeldUser";
    return job;
  }

  storage::Origins origins() const { return storage::Origins(protocol::catalogue_path()); }
  QByteArray asked() const { return store_.path("asked").toUtf8(); }
  QString takenWords() const { return QString::fromStdString(testing::contents(asked().toStdString())); }
  void command(const QByteArray& script) const {
    QVERIFY(QDir().mkpath(store_.path("bin")));
    const QString file = store_.path("bin/batchscope");
    testing::write_file(file.toStdString(), "#!/bin/sh\n" + script.toStdString() + "\n");
    QVERIFY(QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
  }

  void take(storage::RunState state, int step) {
    storage::RecordPart part;
    storage::Run& run = part.record.run;
    run.id = kRun;
    run.name = "there";
    run.spec.name = "there";
    run.spec.program = "/bin/true";
    run.state = state;
    run.created = storage::now();
    run.step = step;
    part.record.generations.push_back({0, 2, "start", storage::now(), 0, 1, step, "", -1, {}, ""});
    if (is_active(state))
      part.leases = {{{}, {}, "n1/cpu:0", 0, storage::now(), 0, "start"},
                     {{}, {}, "n2/cpu:0", 0, storage::now(), 0, "start"}};
    origins().take(kRun, {.folder = "/shared/aaaaaaaa", .followed = true}, {&part, 1});
  }
  void open() {
    showWindow();
    window_->openRun(kRun);
    QTRY_VERIFY(session()->isOpen());
  }

  RunSession* session() const { return window_->findChild<RunSession*>(); }
  ControlPanel* control() const { return window_->findChild<ControlPanel*>(); }
  bool shows(const QString& text) const {
    const auto labels = window_->findChildren<QLabel*>();
    return std::ranges::any_of(
        labels, [&](const QLabel* label) { return label->isVisible() && label->text().startsWith(text); });
  }
  QPushButton* button(const QString& text) const {
    for (auto* each : window_->findChildren<QPushButton*>())
      if (each->isVisible() && each->text() == text) return each;
    return nullptr;
  }
  void answer(const QString& text) const {
    for (auto* each : window_->findChild<QMessageBox*>()->findChildren<QPushButton*>())
      if (each->text() == text) return each->click();
    QFAIL("there is no such answer");
  }

  QByteArray programs_;
};

BATCHSCOPE_TEST(TestElsewhere)
#include "test_elsewhere.moc"
