// SPDX-License-Identifier: GPL-3.0-or-later
#include "control/readout.h"

#include <QGridLayout>
#include <QLabel>
#include <array>
#include <cmath>
#include <set>
#include <string>

#include "batchscope/common/number_text.h"
#include "batchscope/protocol/series.h"
#include "chart/formula_hover.h"
#include "chart/formulas.h"
#include "chart/view_state.h"
#include "session/run_session.h"

namespace batchscope::desktop {
namespace {

namespace names = protocol::series;

struct Row {
  const char* label;
  const char* series;
  const char* pattern = "%1";
  double factor = 1;
  const char* second = nullptr;  // the series of the pattern's %2, with the same factor
};

constexpr std::array<Row, 10> kRows{
    {{QT_TRANSLATE_NOOP("batchscope::desktop::Readout", "Gain"), names::kGain,
      QT_TRANSLATE_NOOP("batchscope::desktop::Readout", "%1 of %2"), 1, names::kScale},
     {QT_TRANSLATE_NOOP("batchscope::desktop::Readout", "Noise scale"), names::kNoiseScale},
     {QT_TRANSLATE_NOOP("batchscope::desktop::Readout", "Learning rate"), names::kLearningRate},
     {QT_TRANSLATE_NOOP("batchscope::desktop::Readout", "Batch size"), names::kBatchSize,
      QT_TRANSLATE_NOOP("batchscope::desktop::Readout", "%1 samples")},
     {QT_TRANSLATE_NOOP("batchscope::desktop::Readout", "Throughput"), names::kThroughput,
      QT_TRANSLATE_NOOP("batchscope::desktop::Readout", "%1 samples/s")},
     {QT_TRANSLATE_NOOP("batchscope::desktop::Readout", "Goodput"), names::kGoodput,
      QT_TRANSLATE_NOOP("batchscope::desktop::Readout", "%1 samples/s")},
     {QT_TRANSLATE_NOOP("batchscope::desktop::Readout", "Efficiency"), names::kEfficiency},
     {QT_TRANSLATE_NOOP("batchscope::desktop::Readout", "Loss"), names::kLoss},
     {QT_TRANSLATE_NOOP("batchscope::desktop::Readout", "Step time"), names::kStepTime,
      QT_TRANSLATE_NOOP("batchscope::desktop::Readout", "%1 ms"), 1000},
     {QT_TRANSLATE_NOOP("batchscope::desktop::Readout", "predicted"), names::kModelStepTime,
      QT_TRANSLATE_NOOP("batchscope::desktop::Readout", "≈ %1 ms"), 1000}}};

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
    auto* label = new QLabel(tr(entry.label), this);
    new FormulaHover(label, entry.series, state_, [session] { return session->series(); });
    grid->addWidget(label, row, 0);
    grid->addWidget(value, row, 1);
    values_.push_back(value);
    ++row;
  }
  connect(state_, &ViewState::cursorMoved, this, &Readout::refresh);
  connect(session_, &RunSession::samplesChanged, this, &Readout::refresh);
  connect(session_, &RunSession::opened, this, [this] {
    if (SeriesModel* model = session_->series()) {
      std::set<std::string> wanted{names::kScale};
      for (const Row& row : kRows) {
        wanted.insert(row.series);
        wanted.merge(formulaInputs(row.series));
      }
      model->want(wanted);
    }
    refresh();
  });
}

void Readout::refresh() {
  SeriesModel* model = session_->series();
  const auto at = model == nullptr ? std::nullopt : state_->present(*model);
  if (!at) {
    title_->setText(tr("Measured"));
    for (QLabel* value : values_) value->setText(QStringLiteral("–"));
    return;
  }
  if (state_->pointedAt()) {
    const double seconds = model->position(XAxis::WallTime, *at).value_or(0);
    title_->setText(
        tr("Measured at %1, step %2").arg(common::formatClock(seconds), common::formatCount(at->step)));
  } else {
    title_->setText(tr("Measured, newest step %1").arg(common::formatCount(at->step)));
  }
  const auto valueOf = [&](const char* series) { return model->value(series, *at).value_or(std::nan("")); };
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    const Row& row = kRows[i];
    const double value = row.factor * valueOf(row.series);
    QString text = tr(row.pattern).arg(common::formatNumber(value));
    if (row.second != nullptr) text = text.arg(common::formatNumber(row.factor * valueOf(row.second)));
    values_[i]->setText(std::isnan(value) ? QStringLiteral("–") : text);
  }
}

}  // namespace batchscope::desktop
