// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/replay_bar.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <utility>

#include "batchscope/common/number_text.h"
#include "look/box.h"
#include "look/quiet_wheel.h"
#include "series/view_state.h"
#include "session/run_session.h"

namespace batchscope::desktop {
namespace {

constexpr int kFrame = 50;  // ms
constexpr int kPlaces = 1000;

// Either so many seconds of the run a second, or the whole run in so many seconds.
struct Speed {
  const char* text;
  double factor;
  double whole;
};

constexpr std::array kSpeeds{
    Speed{QT_TRANSLATE_NOOP("batchscope::desktop::ReplayBar", "whole run in 30 s"), 0, 30},
    Speed{QT_TRANSLATE_NOOP("batchscope::desktop::ReplayBar", "whole run in 2 min"), 0, 120},
    Speed{QT_TRANSLATE_NOOP("batchscope::desktop::ReplayBar", "as it was"), 1, 0},
    Speed{QT_TRANSLATE_NOOP("batchscope::desktop::ReplayBar", "10 times as fast"), 10, 0},
    Speed{QT_TRANSLATE_NOOP("batchscope::desktop::ReplayBar", "60 times as fast"), 60, 0}};

}  // namespace

ReplayBar::ReplayBar(RunSession* session, ViewState* view, std::vector<QWidget*> pages, QWidget* parent)
    : QWidget(parent),
      session_(session),
      view_(view),
      pages_(std::move(pages)),
      replay_(new QAction(tr("Replay the run"), this)),
      play_(new QAction(tr("Play or pause the replay"), this)),
      slider_(new QSlider(Qt::Horizontal, this)),
      time_(named("dim", this)),
      speed_(new QComboBox(this)) {
  replay_->setCheckable(true);
  replay_->setShortcut(Qt::Key_R);
  replay_->setIconText(tr("End the replay"));  // on its button, which is there only then
  replay_->setToolTip(tr("Back to the whole run (R)"));
  play_->setShortcut(Qt::Key_P);
  play_->setCheckable(true);
  play_->setEnabled(false);
  play_->setToolTip(tr("Play or pause (P)"));
  slider_->setRange(0, kPlaces);
  slider_->setPageStep(kPlaces / 20);
  slider_->setSingleStep(kPlaces / 200);
  slider_->setAccessibleName(tr("Moment of the replay"));
  slider_->setToolTip(tr("The moment up to which the run is shown"));
  speed_->setAccessibleName(tr("Speed of the replay"));
  for (const Speed& speed : kSpeeds) speed_->addItem(tr(speed.text));
  ignoreWheel(speed_);
  hbox(this, {}, 10, {buttonOf(play_, this), {slider_, 1}, time_, speed_, buttonOf(replay_, this)});
  hide();

  timer_.setInterval(kFrame);
  connect(&timer_, &QTimer::timeout, this, &ReplayBar::advance);
  connect(replay_, &QAction::toggled, this, &ReplayBar::setReplaying);
  connect(play_, &QAction::toggled, this, &ReplayBar::setPlaying);
  connect(slider_, &QSlider::valueChanged, this, [this](int place) { setHead(length() * place / kPlaces); });
  connect(session_, &RunSession::opened, this, [this] {
    replay_->setChecked(false);
    replay_->setEnabled(session_->isOpen());
  });
  replay_->setEnabled(false);
}

double ReplayBar::length() const {
  const SeriesModel* series = session_->series();
  return series == nullptr ? 0 : std::max(0.0, series->extent(XAxis::WallTime).high);
}

double ReplayBar::speed() const {
  const Speed& speed = kSpeeds.at(static_cast<std::size_t>(std::max(0, speed_->currentIndex())));
  return speed.whole > 0 ? length() / speed.whole : speed.factor;
}

void ReplayBar::setReplaying(bool isReplaying) {
  if (isReplaying && std::ranges::none_of(pages_, &QWidget::isVisible)) {
    replay_->setChecked(false);
    return;
  }
  setVisible(isReplaying);
  play_->setEnabled(isReplaying);
  play_->setChecked(isReplaying);
  if (isReplaying)
    setHead(0);
  else
    view_->endReplay();
}

void ReplayBar::setPlaying(bool isPlaying) {
  play_->setIconText(isPlaying ? tr("Pause") : tr("Play"));
  if (!isPlaying) return timer_.stop();
  if (view_->playHead().value_or(0) >= length()) setHead(0);
  sinceLast_.start();
  timer_.start();
}

void ReplayBar::setHead(double seconds) {
  const SeriesModel* series = session_->series();
  if (series == nullptr || !replay_->isChecked()) return;
  const double whole = length();
  view_->setPlayHead(*series, std::clamp(seconds, 0.0, whole));
  time_->setText(tr("%1 of %2").arg(common::formatClock(*view_->playHead()), common::formatClock(whole)));
  const QSignalBlocker quiet(slider_);
  slider_->setValue(whole > 0 ? static_cast<int>(kPlaces * *view_->playHead() / whole) : 0);
}

void ReplayBar::advance() {
  setHead(view_->playHead().value_or(0) + speed() * static_cast<double>(sinceLast_.restart()) / 1000);
  if (view_->playHead().value_or(0) >= length()) play_->setChecked(false);
}

}  // namespace batchscope::desktop
