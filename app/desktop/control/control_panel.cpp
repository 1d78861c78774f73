// SPDX-License-Identifier: GPL-3.0-or-later
#include "control/control_panel.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QMessageBox>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>
#include <utility>

#include "batchscope/common/goodput_prediction.h"
#include "batchscope/common/number_text.h"
#include "batchscope/common/restart_text.h"
#include "batchscope/common/run_text.h"
#include "batchscope/common/trial_text.h"
#include "batchscope/protocol/error.h"
#include "batchscope/run/client.h"
#include "control/readout.h"
#include "control/replica_buttons.h"
#include "control/restart_steps.h"
#include "figure/goodput_curve.h"
#include "look/box.h"
#include "look/elided_label.h"
#include "session/run_session.h"

namespace batchscope::desktop {
namespace {

using protocol::Request;
using protocol::RunState;

constexpr int kPatience = 10'000;  // ms, with a supervisor that is to be told something

QLabel* section(const QString& text, QWidget* parent) {
  auto* label = new ElidedLabel(text, parent);
  label->setObjectName(QStringLiteral("section"));
  return label;
}

// Qt would hand the keyboard focus of what is disabled to the next control: from Restart on to Stop.
void enable(QWidget* control, bool isEnabled) {
  QWidget* focus = control->window()->focusWidget();
  if (!isEnabled && focus != nullptr && (focus == control || control->isAncestorOf(focus))) {
    control->window()->setFocus();
  }
  control->setEnabled(isEnabled);
}

RunState stateOf(const RunSession& session) {
  const protocol::RunStatus& status = session.status();
  return status.run.empty() ? session.run().state : status.state;
}

}  // namespace

ControlPanel::ControlPanel(RunSession* session, ViewState* state, run::Machine machine, QWidget* parent)
    : QFrame(parent),
      session_(session),
      machine_(std::move(machine)),
      replicas_(new ReplicaButtons(this)),
      auto_(new QCheckBox(tr("Auto"), this)),
      restart_(new QPushButton(this)),
      prediction_(named("hint", this)),
      restartTitle_(section({}, this)),
      steps_(new RestartSteps(this)),
      forecast_(named("hint", this)),
      checkpoint_(new QPushButton(tr("Checkpoint"), this)),
      pause_(new QPushButton(tr("Pause"), this)),
      stop_(new QPushButton(tr("Stop"), this)),
      curveTitle_(section(tr("Goodput over batch size"), this)),
      explore_(new QToolButton(this)),
      why_(new QToolButton(this)),
      curve_(new GoodputCurve(this)),
      readout_(new Readout(session, state, this)) {
  setObjectName(QStringLiteral("rightPanel"));
  setFixedWidth(300);
  restart_->setObjectName(QStringLiteral("primary"));
  for (QLabel* label : {prediction_, forecast_}) {
    label->setWordWrap(true);
    label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  }
  // Four lines are kept free, so that nothing below moves when the prediction changes.
  prediction_->setMinimumHeight(62);
  stop_->setObjectName(QStringLiteral("danger"));
  curve_->setToolTip(tr("Click for the goodput explorer (G)"));
  curve_->setCursor(Qt::PointingHandCursor);
  for (QToolButton* link : {explore_, why_}) {
    link->setObjectName(QStringLiteral("link"));
    link->setFocusPolicy(Qt::TabFocus);
  }
  auto_->setToolTip(
      tr("The number of replicas follows the best goodput; the events say when and why. Restart on another "
         "number to choose it yourself."));
  checkpoint_->setToolTip(tr("Write a checkpoint after the next step and go on"));

  auto* content = new QWidget(this);
  QLayout* title = hbox(nullptr, {}, -1, {{section(tr("Replicas"), this), 1}, auto_});
  QLayout* buttons = hbox(nullptr, {}, 6, {{checkpoint_, 1}, {pause_, 1}, {stop_, 1}});
  QLayout* curveHead = hbox(nullptr, {}, -1, {{curveTitle_, 1}, explore_});
  QLayout* restartHead = hbox(nullptr, {}, -1, {{restartTitle_, 1}, why_});
  QLabel* run = section(tr("Run"), this);
  vbox(content, {14, 12, 14, 8}, 0,
       {title,       gap(8),  replicas_, gap(10), restart_,  gap(6), prediction_, gap(8),
        restartHead, gap(4),  steps_,    gap(2),  forecast_, gap(8), run,         gap(8),
        buttons,     gap(12), curveHead, gap(4),  curve_,    gap(8), readout_,    rest()});

  // A low window scrolls the panel rather than squeezing it.
  vbox(this, {1, 0, 0, 0}, -1, {scrolledDown(content, this)});

  connect(replicas_, &ReplicaButtons::chosenChanged, this, [this] {
    updateStatus();
    updateModel();
  });
  connect(curve_, &GoodputCurve::clicked, this, &ControlPanel::explorerRequested);
  connect(auto_, &QCheckBox::clicked, this, &ControlPanel::switchAuto);
  connect(restart_, &QPushButton::clicked, this, &ControlPanel::restart);
  connect(checkpoint_, &QPushButton::clicked, this, [this] { session_->send(Request::Command::checkpoint); });
  connect(pause_, &QPushButton::clicked, this, &ControlPanel::pauseOrResume);
  connect(stop_, &QPushButton::clicked, this, &ControlPanel::confirmStop);
  connect(session_, &RunSession::opened, this, &ControlPanel::opened);
  connect(session_, &RunSession::statusChanged, this, &ControlPanel::updateStatus);
  connect(session_, &RunSession::detailsChanged, this, [this] {
    updateDevices();
    updateRestart();
    updateModel();
  });
  updateStatus();
}

void ControlPanel::setPages(QAction* explorer, QAction* scaling) {
  for (const auto& [link, action] : {std::pair(explore_, explorer), std::pair(why_, scaling)}) {
    link->setDefaultAction(action);
    link->setAccessibleName(action->text());
  }
}

void ControlPanel::opened() { present_ = 0; }

// Other runs leave what they have not leased.
void ControlPanel::updateDevices() {
  if (!session_->isOpen()) return;
  if (session_->elsewhere()) {  // what its job has is what is known
    const auto& devices = session_->run().devices;
    const int count = std::max({1, static_cast<int>(devices.size()), session_->run().replicas});
    const bool areGpus = !devices.empty() && devices.front().find("cuda:") != std::string::npos;
    return replicas_->setDevices({.all = count, .free = count, .areGpus = areGpus});
  }
  const bool areGpus = session_->run().spec.device != "cpu" && !machine_.gpus.empty();
  const std::vector<std::string>& all = areGpus ? machine_.gpus : machine_.cores;
  std::set<std::string> free(all.begin(), all.end());
  for (const storage::Lease& lease : session_->catalogue().leases()) {
    if (lease.run != session_->run().id) free.erase(lease.device);
  }
  replicas_->setDevices(
      {.all = static_cast<int>(all.size()), .free = static_cast<int>(free.size()), .areGpus = areGpus});
}

void ControlPanel::updateStatus() {
  if (!session_->isOpen()) {  // the keys press the buttons also where they are not seen
    for (QWidget* each :
         std::initializer_list<QWidget*>{restart_, replicas_, auto_, checkpoint_, pause_, stop_})
      enable(each, false);
    return;
  }
  const RunState state = stateOf(*session_);
  const protocol::RunStatus& status = session_->status();
  // Until a restart is over, the count before it stays the present one: if the restart fails, the run returns
  // to it.
  if ((status.phase.empty() || present_ == 0) && status.replicas > 0 && status.replicas != present_) {
    present_ = status.replicas;
    replicas_->setPresent(present_);
    replicas_->setChosen(present_);
    updateModel();
  }
  const int chosen = replicas_->chosen();
  const bool isRunning = state == RunState::running;
  const bool canResume = is_resumable(state);
  if (state == RunState::restarting || state == RunState::starting) {
    restart_->setText(tr("Starting %1 …").arg(common::replicaCount(std::max(1, status.target_replicas))));
  } else if (canResume) {
    restart_->setText(tr("Resume on %1").arg(common::replicaCount(std::max(1, chosen))));
  } else if (state == RunState::finished) {
    restart_->setText(tr("Finished"));
  } else {
    restart_->setText(tr("Restart on %1").arg(common::replicaCount(std::max(1, chosen))));
  }
  enable(restart_, canResume || (isRunning && chosen > 0 && chosen != present_));
  enable(replicas_, isRunning || canResume || (state == RunState::finished && session_->model()));  // what if
  enable(auto_, isRunning);
  auto_->setChecked(!status.auto_replicas.empty());
  enable(checkpoint_, isRunning);
  enable(pause_, isRunning || canResume);
  pause_->setText(canResume ? tr("Resume") : tr("Pause"));
  pause_->setToolTip(canResume ? tr("Go on from the newest checkpoint")
                               : tr("Write a checkpoint and free the devices for a while. The run stays "
                                    "ready and resumes at a press; Stop ends it."));
  stop_->setToolTip(
      tr("Write a checkpoint and end the run. It can be resumed later; Pause only frees its devices."));
  enable(stop_, (is_active(state) || session_->waitsForNodes()) && state != RunState::stopping);
  updateRestart();
  updatePrediction();
  Q_EMIT restartUpdated();
}

void ControlPanel::updateRestart() {
  if (!session_->isOpen()) return;
  const protocol::RunStatus& status = session_->status();
  forecast_->setVisible(false);
  if (const auto underWay = common::restartUnderWay(status, present_)) {
    restartTitle_->setText(underWay->title);
    steps_->showRunning(status);
    return;
  }
  const storage::Generation* last = session_->lastRestart();
  if (last == nullptr) {
    restartTitle_->setText(tr("No restart yet"));
    steps_->showDone({});
    return;
  }
  restartTitle_->setText(common::restartDone(session_->generations())->title);
  steps_->showDone(last->pause_parts);
  const bool isNewest = last->number == session_->generations().back().number;
  forecast_->setText(common::forecastText(*last, isNewest && is_active(stateOf(*session_))));
  forecast_->setVisible(!forecast_->text().isEmpty());
}

void ControlPanel::updateModel() {
  const bool hasModel = session_->isOpen() && session_->model().has_value();
  curveTitle_->setVisible(hasModel);
  explore_->setVisible(hasModel);
  curve_->setVisible(hasModel);
  if (hasModel) {
    const protocol::Model& model = *session_->model();
    const int replicas = std::max(1, replicas_->chosen());
    common::GoodputPrediction prediction =
        common::predictGoodput(model, replicas, 120, present_, session_->status().latest);
    if (const auto& measured = session_->measured()) prediction.measured = measured->goodput;
    curveTitle_->setText(tr("Predicted goodput, %1").arg(common::replicaCount(replicas)));
    curve_->setPrediction(std::move(prediction));
    replicas_->setPrediction([model](int count) {
      const auto best = common::bestPoint(model, count);
      return best ? tr("Predicted goodput %1 samples/s").arg(common::predictedGoodput(*best)) : QString();
    });
  } else {
    replicas_->setPrediction({});
  }
  updatePrediction();
}

QString ControlPanel::predictionText() const {
  const RunState state = stateOf(*session_);
  const QString message = QString::fromStdString(session_->run().message);
  if (state == RunState::damaged) return message;
  if (session_->waitsForNodes()) return common::waitText(*session_->elsewhere());
  const bool isOver = !is_active(state) && !is_resumable(state);
  if (isOver && (!session_->model() || replicas_->chosen() == present_))
    return tr("This run has finished; start another from the Run menu.");
  if (const std::string diverged = common::divergedText(session_->run()); !diverged.empty())
    return QString::fromStdString(diverged);
  if ((state == RunState::failed || state == RunState::interrupted) && !message.isEmpty()) return message;
  if (!session_->model())
    return tr("No prediction yet: the model is fitted once a few steps have been measured.");
  const storage::Generation* last = session_->lastRestart();
  return common::whatIfText(
      *session_->model(), std::max(1, replicas_->chosen()),
      {present_, state, session_->status().latest, session_->measured(), last != nullptr ? last->pause : -1});
}

void ControlPanel::updatePrediction() {
  if (session_->isOpen()) prediction_->setText(predictionText());
}

// The present number asks for no restart where auto was on.
void ControlPanel::switchAuto(bool on) {
  if (!on) return session_->send(Request::Command::rescale, session_->status().target_replicas);
  Request request;
  request.command = Request::Command::rescale;
  request.auto_replicas = protocol::AutoReplicas{};
  session_->send(request);
}

void ControlPanel::restart() {
  const int chosen = replicas_->chosen();
  if (!is_resumable(stateOf(*session_))) return session_->send(Request::Command::rescale, chosen);
  const bool staysAuto = auto_->isChecked() && chosen == present_;  // any number would turn it off
  resume(staysAuto ? std::nullopt : std::optional(chosen));
}

void ControlPanel::pauseOrResume() {
  if (!is_resumable(stateOf(*session_))) return session_->send(Request::Command::pause);
  resume({});
}

void ControlPanel::resume(std::optional<int> replicas) {
  if (session_->isConnected()) return session_->send(Request::Command::resume, replicas);
  Q_EMIT resumeRequested(replicas.value_or(0));
}

void ControlPanel::confirmStop() {
  auto* question = new QMessageBox(QMessageBox::Question, tr("Stop the run"),
                                   tr("Stop %1?").arg(QString::fromStdString(session_->run().name)),
                                   QMessageBox::NoButton, window());
  question->setInformativeText(
      session_->waitsForNodes() ? tr("Its job is cancelled, and the run does not train until it is resumed.")
      : session_->isConnected() && stateOf(*session_) == RunState::running && !session_->status().rescalable
          ? tr("Its program reports no checkpoints: it ends without one, and a resumed run starts it again.")
      : session_->elsewhere()
          ? tr("The run writes a checkpoint first, and its job ends. A new job can resume the run from the "
               "checkpoint later.")
          : tr("The run writes a checkpoint first, and can be resumed from it later. To free its "
               "devices for a while, pause it instead."));
  question->setIconPixmap(QApplication::windowIcon().pixmap(48));
  question->setAttribute(Qt::WA_DeleteOnClose);
  auto* stop = question->addButton(tr("Stop the run"), QMessageBox::DestructiveRole);
  auto* keep = question->addButton(tr("Keep training"), QMessageBox::RejectRole);
  question->setDefaultButton(keep);
  connect(stop, &QPushButton::clicked, this,
          [this, id = session_->run().id, isElsewhere = session_->elsewhere().has_value()] {
            stopRun(id, isElsewhere);
          });
  question->open();
}

// The run that was asked about: another one may have been opened meanwhile, which goes on.
void ControlPanel::stopRun(const std::string& id, bool isElsewhere) {
  if (session_->isOpen() && session_->run().id == id) return session_->send(Request::Command::stop);
  if (isElsewhere) return session_->handOn(id, QStringLiteral("stop"));
  auto* client = new run::ControlClient(id, this);
  QTimer::singleShot(kPatience, client, &QObject::deleteLater);
  connect(client, &run::ControlClient::connectedChanged, client, [this, client](bool isConnected) {
    if (!isConnected) return;
    Request request;
    request.command = Request::Command::stop;
    client->send(request, [this, client](const protocol::Json*, const Error* error) {
      if (error != nullptr) Q_EMIT session_->commandFailed(QString::fromUtf8(error->what()));
      client->deleteLater();
    });
  });
}

}  // namespace batchscope::desktop
