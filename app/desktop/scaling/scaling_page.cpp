// SPDX-License-Identifier: GPL-3.0-or-later
#include "scaling/scaling_page.h"

#include <QCoreApplication>
#include <QGridLayout>
#include <utility>

#include "batchscope/common/run_history.h"
#include "batchscope/common/why_it_scaled.h"
#include "batchscope/protocol/series.h"
#include "figure/figure.h"
#include "figure/figure_card.h"
#include "series/measured_steps.h"
#include "session/run_session.h"

namespace batchscope::desktop {
namespace {

constexpr int kInterval = 1000;  // ms between looks at the samples
constexpr int kCardHeight = 286, kCardWidth = 440,
              kWide = 640;  // pixels; of a page with room for two columns

}  // namespace

ScalingPage::ScalingPage(RunSession* session, QWidget* parent)
    : QScrollArea(parent), session_(session), content_(new QWidget(this)), grid_(new QGridLayout(content_)) {
  setObjectName(QStringLiteral("figures"));
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Why it scaled"));
  for (const common::ScalingCard& each : common::scalingCards()) {
    auto* card = new FigureCard(each.title, each.unit, each.caption, content_);
    card->setMinimumHeight(kCardHeight);
    // A chart asks for the size that it has, and would never become smaller again.
    card->figure()->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored);
    cards_.push_back(card);
    named_[QLatin1String(each.name)] = card;
  }

  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setSpacing(10);
  setWidget(content_);
  arrange(2);
  timer_.setSingleShot(true);
  timer_.setInterval(kInterval);
  connect(&timer_, &QTimer::timeout, this, &ScalingPage::refresh);
  connect(session_, &RunSession::detailsChanged, this, &ScalingPage::refreshSamples);
}

void ScalingPage::arrange(int columns) {
  if (columns == columns_) return;
  columns_ = columns;
  for (FigureCard* card : cards_) grid_->removeWidget(card);
  for (int i = 0; i < static_cast<int>(cards_.size()); ++i)
    grid_->addWidget(cards_[static_cast<std::size_t>(i)], i / columns, i % columns);
  for (int column = 0; column < 2; ++column) grid_->setColumnStretch(column, column < columns ? 1 : 0);
}

void ScalingPage::setCompared(std::vector<Companion> runs) {
  runs_ = std::move(runs);
  refreshSamples();
}

// Asks for the series that only this page needs, once it is looked at.
void ScalingPage::want() {
  SeriesModel* series = session_->series();
  if (series == nullptr) return;
  series->want(common::historySeries());
  series->want({protocol::series::kAccuracy});
  const auto names = run::step_time_series();
  series->want({names.begin(), names.end()});
}

void ScalingPage::sessionOpened() {
  if (!isVisible()) return;
  want();
  refresh();
}

void ScalingPage::draw() {
  want();
  session_->readSamples();  // which tells everyone else
  refresh();
  if (isVisible()) return;
  // The cards have no size yet, and Qt Charts leaves the places of its texts to the event loop.
  resize(2 * kCardWidth, 2 * kCardHeight);
  for (int i = 0; i < 2; ++i) {
    grab();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  }
}

void ScalingPage::showEvent(QShowEvent* event) {
  arrange(width() < kWide ? 1 : 2);
  QScrollArea::showEvent(event);
  sessionOpened();
}

void ScalingPage::resizeEvent(QResizeEvent* event) {
  arrange(event->size().width() < kWide ? 1 : 2);  // first, for it says how tall the content is
  QScrollArea::resizeEvent(event);
}

void ScalingPage::refreshSamples() {
  if (isVisible() && !timer_.isActive()) timer_.start();
}

void ScalingPage::refresh() {
  common::ScaledRun run;
  if (session_->isOpen()) {
    run.series = session_->series();
    run.model = session_->model() ? &*session_->model() : nullptr;
    run.generations = session_->generations();
  }
  if (run.series != nullptr && run.model != nullptr)
    run.measured = measureStepTimes(*session_->series(), *run.model);
  for (const Companion& each : runs_)
    if (each.series != nullptr)
      run.quality.push_back({each.name, {Ink::Run, each.colour}, common::qualityOf(*each.series)});
  if (runs_.empty() && run.series != nullptr)
    run.quality.push_back(
        {QString::fromStdString(session_->run().name), {Ink::Series, 0}, common::qualityOf(*run.series)});
  std::vector<FigureData> figures = common::whyItScaled(run);
  for (std::size_t i = 0; i < cards_.size(); ++i) cards_[i]->figure()->setData(std::move(figures[i]));
}

}  // namespace batchscope::desktop
