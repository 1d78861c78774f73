// SPDX-License-Identifier: GPL-3.0-or-later
#include "explorer/explorer_panel.h"

#include <QFrame>
#include <QGridLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <algorithm>

#include "batchscope/common/charts.h"
#include "batchscope/common/goodput_prediction.h"
#include "batchscope/common/number_text.h"
#include "batchscope/common/run_text.h"
#include "chart/chart_card.h"
#include "explorer/step_time_figure.h"
#include "explorer/step_times.h"
#include "figure/goodput_curve.h"
#include "look/box.h"
#include "look/plain_table.h"
#include "series/measured_steps.h"
#include "session/run_session.h"

namespace batchscope::desktop {
namespace {

constexpr int kTimesInterval = 500;  // ms between looks at all step times
constexpr int kScrollBar = 12;
constexpr int kLeastMost = 8;  // replicas that the slider reaches at the least

QHBoxLayout* headOf(QFrame* card, const QString& title, QLabel* unit) {
  return hbox(nullptr, {12, 0, 10, 0}, 7, {named("chartTitle", card, title), unit, rest()});
}

}  // namespace

ExplorerPanel::ExplorerPanel(RunSession* session, ViewState* state, QWidget* parent)
    : QWidget(parent), session_(session), times_(new StepTimeModel(this)) {
  auto* curveCard = card(this);
  curve_ = new GoodputCurve(curveCard);
  curve_->setLarge();
  QLabel* unit = named("chartUnit", curveCard, tr("samples/s"));
  vbox(curveCard, {1, 7, 1, 1}, 0, {headOf(curveCard, tr("Goodput over batch size"), unit), {curve_, 1}});

  cards_ = {new ChartCard(common::scalingRulesChart(), state, this),
            new ChartCard(common::noiseChart(), state, this)};
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(10);
  grid->addWidget(curveCard, 0, 0, 1, 3);
  grid->addWidget(whatIfCard(), 0, 3, 1, 3);
  grid->addWidget(cards_[0], 1, 0, 1, 4);
  grid->addWidget(cards_[1], 1, 4, 1, 2);
  grid->addWidget(stepTimeCard(), 2, 0, 1, 6);
  for (int row = 0; row < 3; ++row) grid->setRowStretch(row, row == 0 ? 4 : 3);
  for (int column = 0; column < 6; ++column) grid->setColumnStretch(column, 1);

  timesTimer_.setSingleShot(true);
  timesTimer_.setInterval(kTimesInterval);
  connect(&timesTimer_, &QTimer::timeout, this, &ExplorerPanel::refreshStepTimes);
  connect(slider_, &QSlider::valueChanged, this, &ExplorerPanel::replicasChosen);
  connect(apply_, &QPushButton::clicked, this, &ExplorerPanel::restartRequested);
  connect(session_, &RunSession::detailsChanged, this, &ExplorerPanel::refresh);
  connect(session_, &RunSession::statusChanged, this, &ExplorerPanel::refresh);
}

QWidget* ExplorerPanel::whatIfCard() {
  auto* frame = card(this);
  slider_ = new QSlider(Qt::Horizontal, frame);
  slider_->setAccessibleName(tr("Number of replicas"));
  slider_->setPageStep(2);
  slider_->setMinimumHeight(22);
  slider_->setRange(1, kLeastMost);
  count_ = named("chartTitle", frame);
  flag_ = named("complaint", frame);
  flag_->setProperty("tone", "warning");
  flag_->setWordWrap(true);
  flag_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  bounds_ = named("hint", frame);
  bounds_->setWordWrap(true);
  apply_ = new QPushButton(frame);
  apply_->setToolTip(tr("The same as the button at the right"));

  auto* grid = new QGridLayout;
  grid->setVerticalSpacing(4);
  grid->setHorizontalSpacing(16);
  for (const auto& [column, text] : {std::pair(1, tr("measured now")), std::pair(2, tr("predicted"))})
    grid->addWidget(named("dim", frame, text), 0, column, Qt::AlignRight);
  for (const common::WhatIfRow& row : common::whatIfTable({}, {}, {})) {
    const int at = static_cast<int>(values_.size()) + 1;
    values_.push_back({named("dim", frame), named("", frame)});
    grid->addWidget(new QLabel(row.name, frame), at, 0);
    for (std::size_t column = 0; column < 2; ++column)
      grid->addWidget(values_.back()[column], at, static_cast<int>(column) + 1, Qt::AlignRight);
  }
  grid->setColumnStretch(0, 1);

  QLayout* top = hbox(nullptr, {}, 10, {named("chartTitle", frame, tr("What if")), rest(), count_});
  QLayout* bottom = hbox(nullptr, {}, 10, {{flag_, 1}, apply_});
  vbox(frame, {12, 7, 12, 10}, 8, {top, slider_, grid, bounds_, rest(), bottom});
  return frame;
}

QWidget* ExplorerPanel::stepTimeCard() {
  auto* frame = card(this);
  plot_ = new Figure(frame);
  plot_->setAccessibleName(tr("Measured step time over predicted"));
  error_ = named("chartUnit", frame);
  table_ = new PlainTable(tr("No step time has been measured yet."), frame);
  table_->setObjectName(QStringLiteral("stepTimes"));
  table_->setAccessibleName(tr("Measured and predicted step times"));
  table_->setModel(times_);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setMinimumSectionSize(40);
  table_->horizontalHeader()->setStretchLastSection(false);
  table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  vbox(frame, {1, 7, 1, 1}, 0,
       {headOf(frame, tr("Measured and predicted step time"), error_),
        {hbox(nullptr, {0, 0, 8, 4}, -1, {{plot_, 1}, table_}), 1}});
  return frame;
}

void ExplorerPanel::setRestart(const OfferedRestart& restart) {
  if (restart == restart_) return;
  restart_ = restart;
  apply_->setText(restart_.text);
  apply_->setEnabled(restart_.isPossible);
  refresh();
}

void ExplorerPanel::sessionOpened() {
  SeriesModel* series = session_->series();
  // Series that only this page needs are read once it is looked at.
  if (series != nullptr && isVisible()) {
    for (const ChartCard* chart : cards_) series->want(chart->plot()->spec().series());
    const auto names = run::step_time_series();
    series->want({names.begin(), names.end()});
  }
  for (ChartCard* chart : cards_) chart->plot()->setModel(series);
  refresh();
  refreshStepTimes();
}

void ExplorerPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  sessionOpened();
}

void ExplorerPanel::refreshSamples() {
  if (!isVisible()) return;
  for (ChartCard* chart : cards_) chart->plot()->refresh();
  if (!timesTimer_.isActive()) timesTimer_.start();
}

void ExplorerPanel::refresh() {
  if (!isVisible()) return;
  const int replicas = std::max(1, restart_.replicas);
  const bool hasModel = session_->isOpen() && session_->model().has_value();
  slider_->setEnabled(hasModel && restart_.canChoose);
  {
    const QSignalBlocker quiet(slider_);
    const int profiled = hasModel ? session_->model()->max_profiled_replicas : 0;
    slider_->setRange(1, std::max({kLeastMost, 2 * profiled, replicas}));
    slider_->setValue(replicas);
  }
  count_->setText(common::replicaCount(replicas));
  if (hasModel) {
    refreshWhatIf(*session_->model(), replicas);
    return;
  }
  curve_->setPrediction({});
  bounds_->clear();
  flag_->setText(tr("The model is fitted once a few steps have been measured."));
  showTable(common::whatIfTable({}, session_->measured(), {}));
}

void ExplorerPanel::showTable(const std::vector<common::WhatIfRow>& rows) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    values_[row][0]->setText(rows[row].measured);
    values_[row][1]->setText(rows[row].predicted);
  }
}

void ExplorerPanel::refreshWhatIf(const protocol::Model& model, int replicas) {
  const int present = std::max(1, session_->status().replicas);
  const auto& latest = session_->status().latest;
  common::GoodputPrediction prediction = common::predictGoodput(model, replicas, 240, present, latest);
  if (const auto& measured = session_->measured()) prediction.measured = measured->goodput;
  curve_->setPrediction(prediction);
  showTable(
      common::whatIfTable(common::presentPoint(model, present, latest), session_->measured(), prediction));
  bounds_->setText(tr("Best within: %1.").arg(common::constraintText(model, replicas)));
  flag_->setText(common::cautionText(model, replicas));
}

void ExplorerPanel::refreshStepTimes() {
  SeriesModel* series = session_->series();
  if (!isVisible() || series == nullptr || !session_->isOpen() || !session_->model()) {
    times_->setTimes({});
    plot_->setData(stepTimeFigure({}));
    error_->clear();
    return;
  }
  auto times = measureStepTimes(*series, *session_->model());
  error_->setText(times.empty()
                      ? QString()
                      : tr("ms, mean error %1 %").arg(common::formatNumber(100 * run::mean_error(times), 2)));
  plot_->setData(stepTimeFigure(times));
  times_->setTimes(std::move(times));
  // The plot gives way to the table, all of which is to be seen.
  table_->setFixedWidth(table_->horizontalHeader()->length() + kScrollBar);
}

}  // namespace batchscope::desktop
