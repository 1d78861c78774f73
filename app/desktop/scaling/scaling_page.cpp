// SPDX-License-Identifier: GPL-3.0-or-later
#include "scaling/scaling_page.h"

#include <QCoreApplication>
#include <QGridLayout>
#include <utility>

#include "batchscope/protocol/series.h"
#include "chart/measured_steps.h"
#include "figure/figure.h"
#include "figure/figure_card.h"
#include "scaling/prediction_figure.h"
#include "scaling/quality_figures.h"
#include "scaling/restart_figures.h"
#include "scaling/run_history.h"
#include "scaling/scaling_figures.h"
#include "session/run_session.h"

namespace batchscope::desktop {
namespace {

constexpr int kInterval = 1000;  // ms between looks at the samples
constexpr int kMoments = 240, kSlices = 150;
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
  const auto figure = [this](const char* name, const QString& title, const QString& unit,
                             const QString& caption) {
    auto* card = new FigureCard(title, unit, caption, content_);
    card->setMinimumHeight(kCardHeight);
    // A chart asks for the size that it has, and would never become smaller again.
    card->figure()->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored);
    cards_.push_back(card);
    named_[QLatin1String(name)] = card;
    return card->figure();
  };
  map_ = figure("map", tr("Predicted goodput, and the run's path"), tr("stronger colour: more goodput"),
                tr("Each cell is a batch size and a number of replicas; the run should move to where the "
                   "colour is strong."));
  replicas_ =
      figure("goodput-over-replicas", tr("Goodput over replicas"), tr("samples/s"),
             tr("Where the predicted line flattens, another replica brings little. Rings near the line "
                "mean that the prediction can be trusted."));
  choice_ =
      figure("batch-choice", tr("Batch size: chosen and best"), tr("samples"),
             tr("The best batch size is what the newest model would choose with the gradient noise of that "
                "moment."));
  rate_ = figure(
      "rate-over-batch", tr("Learning rate over batch size"), {},
      tr("Paler dots are earlier. AdaScale lies below the linear rule; a schedule lowers the rate, too."));
  restarts_ = figure("restarts", tr("What each restart cost"), tr("seconds"),
                     tr("The parts of each pause in their order, and the steps that had to be done again."));
  lanes_ =
      figure("lanes", tr("What the replicas did"), tr("share of the time"),
             tr("One lane for each replica. The height of a colour is its share of that moment, as a mean "
                "over all replicas."));
  predictions_ =
      figure("predictions", tr("Restarts: predicted and obtained"), tr("samples/s"),
             tr("A bar spans the values expected of nine in ten restarts. The model learns from each "
                "restart."));
  bySamples_ = figure("accuracy-over-samples", tr("Accuracy over samples"), tr("%"),
                      tr("A larger batch needs more samples for the same accuracy."));
  byEpoch_ =
      figure("accuracy-by-epoch", tr("Accuracy by epoch"), tr("%"),
             tr("Epochs count the progress that gain measures: runs of one program should lie together."));
  bySeconds_ = figure("accuracy-over-time", tr("Accuracy over time"), tr("%"),
                      tr("Compare with accuracy over samples: what costs samples may save time."));
  target_ =
      figure("time-to-accuracy", tr("Time to accuracy"), tr("shorter is better"),
             tr("When the run first reached each accuracy; of compared runs, the highest that all reached."));

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
  series->want(historySeries());
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
  SeriesModel* series = session_->isOpen() ? session_->series() : nullptr;
  const protocol::Model* model = session_->isOpen() && session_->model() ? &*session_->model() : nullptr;
  const auto moments = series == nullptr ? std::vector<Moment>() : momentsOf(*series, kMoments);
  map_->setData(goodputMap(model, moments,
                           series != nullptr && model != nullptr ? measureStepTimes(*series, *model)
                                                                 : std::vector<run::StepTime>()));
  replicas_->setData(goodputOverReplicas(model, moments));
  choice_->setData(batchChoice(model, moments));
  rate_->setData(rateOverBatch(moments));
  restarts_->setData(restartParts(series));
  predictions_->setData(predictedAndObtained(session_->isOpen() ? session_->generations()
                                                                : std::vector<storage::Generation>()));
  lanes_->setData(replicaLanes(series == nullptr ? std::vector<Slice>() : slicesOf(*series, kSlices)));

  std::vector<QualityRun> runs;
  for (const Companion& run : runs_)
    if (run.series != nullptr) runs.push_back({run.name, {Ink::Run, run.colour}, qualityOf(*run.series)});
  if (runs_.empty() && series != nullptr)
    runs.push_back({QString::fromStdString(session_->run().name), {Ink::Series, 0}, qualityOf(*series)});
  bySamples_->setData(accuracyOver(Cost::Samples, runs));
  bySeconds_->setData(accuracyOver(Cost::Seconds, runs));
  byEpoch_->setData(accuracyOver(Cost::Epochs, runs));
  target_->setData(timeToTarget(runs));
}

}  // namespace batchscope::desktop
