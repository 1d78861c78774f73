// SPDX-License-Identifier: GPL-3.0-or-later
#include "control/readout.h"

#include <QGridLayout>
#include <QLabel>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "batchscope/protocol/series.h"
#include "chart/view_state.h"
#include "look/format.h"
#include "session/run_session.h"

namespace batchscope::desktop {
namespace {

namespace names = protocol::series;

// Looks a series up at the step in question; NaN where there is nothing.
using Lookup = std::function<double(const char*)>;

struct Row {
  const char* label;
  QString (*text)(const Lookup& at);
};

QString with(const QString& pattern, double value) {
  return std::isnan(value) ? QStringLiteral("–") : pattern.arg(formatNumber(value));
}

const std::array<Row, 9> kRows{{
    {QT_TRANSLATE_NOOP("Readout", "Gain"),
     [](const Lookup& at) {
       return with(Readout::tr("%1 of %2").arg(QStringLiteral("%1"), formatNumber(at(names::kScale))),
                   at(names::kGain));
     }},
    {QT_TRANSLATE_NOOP("Readout", "Noise scale"),
     [](const Lookup& at) { return with(QStringLiteral("%1"), at(names::kNoiseScale)); }},
    {QT_TRANSLATE_NOOP("Readout", "Learning rate"),
     [](const Lookup& at) { return with(QStringLiteral("%1"), at(names::kLearningRate)); }},
    {QT_TRANSLATE_NOOP("Readout", "Batch size"),
     [](const Lookup& at) { return with(Readout::tr("%1 samples"), at(names::kBatchSize)); }},
    {QT_TRANSLATE_NOOP("Readout", "Throughput"),
     [](const Lookup& at) { return with(Readout::tr("%1 samples/s"), at(names::kThroughput)); }},
    {QT_TRANSLATE_NOOP("Readout", "Goodput"),
     [](const Lookup& at) { return with(Readout::tr("%1 samples/s"), at(names::kGoodput)); }},
    {QT_TRANSLATE_NOOP("Readout", "Efficiency"),
     [](const Lookup& at) { return with(QStringLiteral("%1"), at(names::kEfficiency)); }},
    {QT_TRANSLATE_NOOP("Readout", "Loss"),
     [](const Lookup& at) { return with(QStringLiteral("%1"), at(names::kLoss)); }},
    {QT_TRANSLATE_NOOP("Readout", "Step time"),
     [](const Lookup& at) { return with(Readout::tr("%1 ms"), 1000 * at(names::kStepTime)); }},
}};

}  // namespace

Readout::Readout(RunSession* session, ViewState* state, QWidget* parent)
    : QWidget(parent), session_(session), state_(state), title_(new QLabel(this)) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setVerticalSpacing(4);
  title_->setObjectName(QStringLiteral("section"));
  grid->addWidget(title_, 0, 0, 1, 2);
  int row = 1;
  for (const Row& entry : kRows) {
    auto* value = new QLabel(this);
    value->setObjectName(QStringLiteral("dim"));
    value->setAlignment(Qt::AlignRight);
    grid->addWidget(new QLabel(tr(entry.label), this), row, 0);
    grid->addWidget(value, row, 1);
    values_.push_back(value);
    ++row;
  }
  connect(state_, &ViewState::cursorMoved, this, &Readout::refresh);
  connect(session_, &RunSession::samplesChanged, this, &Readout::refresh);
  connect(session_, &RunSession::opened, this, [this] {
    if (SeriesModel* model = session_->series()) {
      model->want({names::kGain, names::kScale, names::kNoiseScale, names::kLearningRate, names::kBatchSize,
                   names::kThroughput, names::kGoodput, names::kEfficiency, names::kLoss, names::kStepTime});
    }
    refresh();
  });
}

void Readout::refresh() {
  SeriesModel* model = session_->series();
  std::optional<StepRef> at = state_->cursor();
  if (!at && model != nullptr) at = model->nearest(XAxis::WallTime, model->extent(XAxis::WallTime).high);
  if (model == nullptr || !at) {
    title_->setText(tr("Newest values"));
    for (QLabel* value : values_) value->setText(QStringLiteral("–"));
    return;
  }
  if (state_->cursor()) {
    const double seconds = model->position(XAxis::WallTime, *at).value_or(0);
    title_->setText(tr("At %1, step %2").arg(formatClock(seconds), formatCount(at->step)));
  } else {
    title_->setText(tr("Newest, step %1").arg(formatCount(at->step)));
  }
  const Lookup lookup = [&](const char* series) { return model->value(series, *at).value_or(std::nan("")); };
  for (std::size_t i = 0; i < kRows.size(); ++i) values_[i]->setText(kRows[i].text(lookup));
}

}  // namespace batchscope::desktop
