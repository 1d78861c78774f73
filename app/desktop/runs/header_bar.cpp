// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/header_bar.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>
#include <QPainter>
#include <QPainterPath>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <utility>

#include "batchscope/common/capital.h"
#include "batchscope/common/cluster_text.h"
#include "batchscope/common/run_text.h"
#include "batchscope/storage/run_field.h"
#include "look/box.h"
#include "look/elided_label.h"
#include "look/theme.h"
#include "series/view_state.h"
#include "session/run_session.h"

namespace batchscope::desktop {
namespace {

QString smoothingText(double smoothing) {
  return smoothing > 0 ? HeaderBar::tr("Smoothing %1").arg(smoothing) : HeaderBar::tr("No smoothing");
}

}  // namespace

// How far the run is: a thin bar with a notch at the end of every epoch, where they are few enough to be told
// apart.
class EpochBar : public QWidget {
 public:
  explicit EpochBar(QWidget* parent) : QWidget(parent) {
    setFixedHeight(7);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(HeaderBar::tr("Progress of the run"));
  }
  void setProgress(double fraction, int epochs) {
    fraction_ = std::clamp(fraction, 0.0, 1.0);
    epochs_ = epochs;
    setAccessibleDescription(HeaderBar::tr("%1 percent").arg(static_cast<int>(100 * fraction_)));
    update();
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath outline;
    outline.addRoundedRect(rect(), 3.5, 3.5);
    painter.setClipPath(outline);
    painter.fillRect(rect(), theme.hairline);
    painter.fillRect(QRectF(0, 0, width() * fraction_, height()), theme.accent);
    if (epochs_ < 2 || width() / epochs_ < 14) return;
    painter.setPen(QPen(theme.background, 1));
    for (int epoch = 1; epoch < epochs_; ++epoch) {
      const double x = std::floor(static_cast<double>(width()) * epoch / epochs_) + 0.5;
      painter.drawLine(QPointF(x, 0), QPointF(x, height()));
    }
  }

 private:
  double fraction_ = 0;
  int epochs_ = 0;
};

HeaderBar::HeaderBar(RunSession* session, ViewState* state, QWidget* parent)
    : QWidget(parent),
      session_(session),
      state_(state),
      name_(new ElidedLabel(this)),
      chip_(named("chip", this)),
      epoch_(named("dim", this)),
      time_(named("dim", this)),
      place_(new ElidedLabel(this)),
      bar_(new EpochBar(this)),
      axisMenu_(new QMenu(tr("X axis"), this)),
      smoothingMenu_(new QMenu(tr("Smoothing"), this)),
      axes_(new QActionGroup(this)),
      smoothings_(new QActionGroup(this)),
      axisButton_(new QToolButton(this)),
      smoothingButton_(new QToolButton(this)),
      explorer_(new QAction(tr("Goodput explorer"), this)),
      scaling_(new QAction(tr("Why it scaled"), this)),
      follow_(new QAction(tr("Follow"), this)),
      log_(new QAction(tr("Log y"), this)),
      reset_(new QAction(tr("Reset"), this)) {
  name_->setObjectName(QStringLiteral("runName"));
  chip_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  const auto choice = [](QActionGroup* group, QMenu* menu, const QString& text, const QVariant& value) {
    QAction* action = group->addAction(text);
    action->setCheckable(true);
    action->setData(value);
    menu->addAction(action);
    return action;
  };
  for (const XAxis axis : kXAxes) {
    const int number = static_cast<int>(axis);
    choice(axes_, axisMenu_, xAxisName(axis), number)
        ->setShortcut(QKeySequence(Qt::ALT | static_cast<Qt::Key>(Qt::Key_1 + number)));
  }
  connect(axes_, &QActionGroup::triggered, this, [this](QAction* action) {
    state_->setAxis(static_cast<XAxis>(action->data().toInt()), session_->series());
  });
  for (const double smoothing : {0.0, 0.3, 0.6, 0.9, 0.97})
    choice(smoothings_, smoothingMenu_, smoothingText(smoothing), smoothing);
  connect(smoothings_, &QActionGroup::triggered, this,
          [this](QAction* action) { state_->setSmoothing(action->data().toDouble()); });

  const auto setUp = [](QAction* action, Qt::Key key, bool isCheckable, const QString& toolTip) {
    action->setShortcut(QKeySequence(key));
    action->setCheckable(isCheckable);
    action->setToolTip(toolTip);
  };
  explorer_->setIconText(tr("Explore"));  // on a button
  setUp(explorer_, Qt::Key_G, true, tr("The goodput explorer in place of the charts (G)"));
  scaling_->setIconText(tr("Why"));
  setUp(scaling_, Qt::Key_W, true, tr("Why it scaled, in place of the charts (W)"));
  for (const auto& [page, other] : {std::pair(explorer_, scaling_), std::pair(scaling_, explorer_)}) {
    connect(page, &QAction::toggled, other, [other](bool isOn) {
      if (isOn) other->setChecked(false);
    });
  }
  setUp(follow_, Qt::Key_F, true, tr("Keep the newest step in view (F)"));
  setUp(log_, Qt::Key_L, true,
        tr("Vertical axes: automatic (the loss is logarithmic where it spans decades), all logarithmic, all "
           "linear (L)"));
  setUp(reset_, Qt::Key_0, false, tr("Show the whole run (0, or double-click a chart)"));
  connect(follow_, &QAction::triggered, state_, &ViewState::setFollow);
  connect(log_, &QAction::triggered, state_, [this] {
    const auto now = state_->logY();
    state_->setLogY(!now ? std::optional(true) : *now ? std::optional(false) : std::nullopt);
    updateView();
  });
  connect(reset_, &QAction::triggered, state_, &ViewState::resetZoom);

  for (const auto& [button, menu] : {std::pair(axisButton_, axisMenu_), {smoothingButton_, smoothingMenu_}}) {
    button->setMenu(menu);
    button->setAccessibleName(menu->title());
    button->setPopupMode(QToolButton::InstantPopup);
    button->setFocusPolicy(Qt::TabFocus);
  }

  QToolButton *follow = buttonOf(follow_, this), *log = buttonOf(log_, this), *reset = buttonOf(reset_, this);
  seldom_ = {smoothingButton_, log, reset};
  const BoxItem chip(chip_, 0, Qt::AlignVCenter);
  QLayout* top =
      hbox(nullptr, {}, 6, {name_, gap(4), chip, rest(), follow, axisButton_, smoothingButton_, log, reset});
  place_->setObjectName(QStringLiteral("dim"));
  place_->setAccessibleName(tr("Where it trains"));
  vbox(this, {}, 8, {top, hbox(nullptr, {}, 10, {epoch_, {bar_, 1}, time_}), place_});

  connect(session_, &RunSession::opened, this, &HeaderBar::updateRun);
  connect(session_, &RunSession::statusChanged, this, &HeaderBar::updateRun);
  connect(state_, &ViewState::changed, this, &HeaderBar::updateView);
  updateView();
}

void HeaderBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  constexpr int kNarrow = 560;
  for (QToolButton* button : seldom_) button->setVisible(width() >= kNarrow);
}

void HeaderBar::updateRun() {
  if (!session_->isOpen()) return;
  const auto& head = state_->playHead();
  const protocol::RunStatus status = head ? session_->statusAt(*head) : session_->status();
  common::StatusText words = common::describe(status);
  if (!head && !is_active(status.state) && storage::shown_state(session_->run()) == storage::kDiverged)
    words.text = common::describe(session_->run()).text;
  if (const QString silence = session_->silence(); !head && !silence.isEmpty())
    words = {common::capital(silence), QStringLiteral("warning")};
  name_->setText(QString::fromStdString(session_->run().name));
  name_->setToolTip(name_->text());
  chip_->setText(words.text);
  setStyleProperty(chip_, "tone", words.tone);
  epoch_->setText(common::describeEpoch(status));
  time_->setText(common::describeTime(status));
  bar_->setProgress(status.total_fraction, status.epochs);
  const auto& elsewhere = session_->elsewhere();
  place_->setVisible(elsewhere.has_value());
  if (!elsewhere) return;
  const QString place = QString::fromStdString(common::jobPlace(*elsewhere)),
                wait = common::waitText(*elsewhere);
  place_->setText(wait.isEmpty() ? place : tr("%1: %2").arg(place, wait));
  place_->setToolTip(QString::fromStdString(storage::place_of(*elsewhere)));
}

void HeaderBar::updateView() {
  if (std::exchange(isReplay_, state_->playHead().has_value()) || isReplay_) updateRun();
  follow_->setChecked(state_->follows());
  const auto log = state_->logY();
  log_->setChecked(log.value_or(false));
  log_->setIconText(!log ? tr("Auto y") : *log ? tr("Log y") : tr("Linear"));
  reset_->setEnabled(state_->isZoomed());
  for (QAction* action : axes_->actions())
    action->setChecked(action->data().toInt() == static_cast<int>(state_->axis()));
  for (QAction* action : smoothings_->actions())
    action->setChecked(action->data().toDouble() == state_->smoothing());
  axisButton_->setText(xAxisName(state_->axis()));
  smoothingButton_->setText(smoothingText(state_->smoothing()));
}

}  // namespace batchscope::desktop
