// SPDX-License-Identifier: GPL-3.0-or-later
#include "records/devices_panel.h"

#include <QHBoxLayout>
#include <algorithm>

#include "batchscope/common/charts.h"
#include "batchscope/protocol/device_series.h"
#include "batchscope/run/node_devices.h"
#include "series/view_state.h"
#include "session/run_session.h"

namespace batchscope::desktop {
namespace {

namespace series = protocol::series;

// More lines than these cannot be told apart.
constexpr int kMostReplicas = 8;

bool hasGpu(const storage::Run& run) {
  return std::any_of(run.devices.begin(), run.devices.end(), run::is_gpu) ||
         run.latest.contains(series::device_series(series::kGpuUtilization, 0));
}

}  // namespace

DevicesPanel::DevicesPanel(RunSession* session, ViewState* state, QWidget* parent)
    : QWidget(parent), session_(session), state_(state), row_(new QHBoxLayout(this)) {
  row_->setContentsMargins(6, 4, 6, 0);
  row_->setSpacing(6);
  connect(session_, &RunSession::opened, this, &DevicesPanel::opened);
  connect(session_, &RunSession::samplesChanged, this, &DevicesPanel::refresh);
}

// A dock behind another one is shown to Qt as well, but never painted.
void DevicesPanel::paintEvent(QPaintEvent* event) {
  QWidget::paintEvent(event);
  if (session_->isOpen() && replicas() != replicas_)
    QMetaObject::invokeMethod(this, &DevicesPanel::refresh, Qt::QueuedConnection);
}

int DevicesPanel::replicas() const {
  int most = 1;
  for (const storage::Generation& generation : session_->generations())
    most = std::max(most, generation.replicas);
  return std::min(most, kMostReplicas);
}

// The charts borrow the series of the run that was open.
void DevicesPanel::opened() {
  for (ChartCard* card : cards_) card->plot()->setModel(nullptr);
  replicas_ = 0;
  update();
}

void DevicesPanel::refresh() {
  if (!session_->isOpen() || visibleRegion().isEmpty()) return;
  if (replicas() != replicas_) build(replicas());
  for (ChartCard* card : cards_) card->plot()->refresh();
}

void DevicesPanel::build(int replicas) {
  qDeleteAll(cards_);
  cards_.clear();
  replicas_ = replicas;
  std::vector<std::string> recorded;
  for (int rank = 0; rank < replicas; ++rank) {
    for (const char* what : {series::kCpu, series::kMemory})
      recorded.push_back(series::device_series(what, rank));
    if (hasGpu(session_->run())) recorded.push_back(series::device_series(series::kGpuUtilization, rank));
  }
  for (const common::ChartSpec& spec : common::deviceCharts(recorded)) {
    auto* card = new ChartCard(spec, state_, this);
    card->plot()->setMinimumSize(160, 50);
    session_->series()->want(spec.series());
    card->plot()->setModel(session_->series());
    row_->addWidget(card);
    card->show();
    cards_.push_back(card);
  }
}

}  // namespace batchscope::desktop
