// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/comparison_panel.h"

#include <QHeaderView>
#include <algorithm>
#include <array>
#include <cmath>

#include "batchscope/common/derived_series.h"
#include "batchscope/common/number_text.h"
#include "batchscope/common/series_unit.h"
#include "batchscope/protocol/series.h"
#include "chart/line_look.h"
#include "look/box.h"
#include "look/plain_table.h"
#include "look/theme.h"
#include "series/view_state.h"

namespace batchscope::desktop {
namespace {

namespace names = protocol::series;

struct ValueColumn {
  const char* title;
  const char* series;
  double factor = 1;
};

const std::array<ValueColumn, 9> kColumns{
    {{QT_TRANSLATE_NOOP("batchscope::desktop::ComparisonModel", "Step"), common::kStepSeries},
     {QT_TRANSLATE_NOOP("batchscope::desktop::ComparisonModel", "Loss"), names::kLoss},
     {QT_TRANSLATE_NOOP("batchscope::desktop::ComparisonModel", "Accuracy %"), names::kAccuracy,
      common::unitOf(names::kAccuracy).factor},
     {QT_TRANSLATE_NOOP("batchscope::desktop::ComparisonModel", "Gain"), names::kGain},
     {QT_TRANSLATE_NOOP("batchscope::desktop::ComparisonModel", "Batch size"), names::kBatchSize},
     {QT_TRANSLATE_NOOP("batchscope::desktop::ComparisonModel", "Throughput /s"), names::kThroughput},
     {QT_TRANSLATE_NOOP("batchscope::desktop::ComparisonModel", "Goodput /s"), names::kGoodput},
     {QT_TRANSLATE_NOOP("batchscope::desktop::ComparisonModel", "Efficiency"), names::kEfficiency},
     {QT_TRANSLATE_NOOP("batchscope::desktop::ComparisonModel", "Step time ms"), names::kStepTime,
      common::unitOf(names::kStepTime).factor}}};
constexpr std::size_t kFirst = 1;  // behind the name

QString placeText(XAxis axis, double x) {
  if (isTime(axis)) return common::formatClock(x);
  return axis == XAxis::Epoch ? common::formatNumber(x) : common::formatCount(std::llround(x));
}

}  // namespace

ComparisonModel::ComparisonModel(ComparedSeries* compared, ViewState* view, QObject* parent)
    : TableModel(parent), compared_(compared), view_(view) {
  connect(compared_, &ComparedSeries::changed, this, &ComparisonModel::reset);
  connect(compared_, &ComparedSeries::samplesChanged, this, &ComparisonModel::refresh);
  connect(view_, &ViewState::cursorMoved, this, &ComparisonModel::refresh);
  connect(view_, &ViewState::changed, this, &ComparisonModel::refresh);
}

std::set<std::string> ComparisonModel::series() {
  std::set<std::string> series;
  for (const ValueColumn& column : kColumns) series.insert(column.series);
  return series;
}

void ComparisonModel::reset() {
  beginResetModel();
  runs_ = compared_->runs();
  cells_.assign(runs_.size(), std::vector<QString>(columns()));
  endResetModel();
  refresh();
}

void ComparisonModel::refresh() {
  if (runs_.empty()) return;
  const XAxis axis = view_->axis();
  std::optional<double> x;
  if (runs_.front().model != nullptr) x = view_->cursorX(*runs_.front().model, axis);
  place_ = x ? tr("Run, at %1").arg(placeText(axis, *x)) : tr("Run, newest values");
  for (std::size_t row = 0; row < runs_.size(); ++row) {
    const ComparedSeries::Entry& run = runs_[row];
    auto& cells = cells_[row];
    cells[0] = run.name;
    std::optional<StepRef> at;
    if (run.model != nullptr) {
      const auto whole = run.model->extent(axis);
      if (!x || (!whole.empty() && *x <= whole.high)) at = run.model->nearest(axis, x.value_or(whole.high));
    }
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      const auto value = at ? run.model->value(kColumns[i].series, *at) : std::nullopt;
      cells[kFirst + i] = value ? common::formatNumber(*value * kColumns[i].factor) : QStringLiteral("–");
    }
  }
  Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
  Q_EMIT headerDataChanged(Qt::Horizontal, 0, 0);
}

std::size_t ComparisonModel::columns() const { return kFirst + kColumns.size(); }

QVariant ComparisonModel::cell(std::size_t row, std::size_t column, int role) const {
  const bool isName = column < kFirst;
  switch (role) {
    case Qt::DisplayRole: return cells_[row][column];
    case Qt::ToolTipRole: return isName ? cells_[row][column] : QVariant();
    case Qt::DecorationRole: return isName ? QVariant(sampleOfRun(runs_[row].colour)) : QVariant();
    case Qt::ForegroundRole: return isName ? QVariant() : QVariant(Theme::current().dim);
    case Qt::TextAlignmentRole: return aligned(!isName);
    case IdRole: return QString::fromStdString(runs_[row].id);
    default: return {};
  }
}

QVariant ComparisonModel::title(std::size_t column, int role) const {
  if (role == Qt::TextAlignmentRole) return aligned(column >= kFirst);
  if (role != Qt::DisplayRole) return {};
  if (column < kFirst) return place_.isEmpty() ? tr("Run") : place_;
  return tr(kColumns[column - kFirst].title);
}

ComparisonPanel::ComparisonPanel(ComparedSeries* compared, ViewState* view, QWidget* parent)
    : QWidget(parent) {
  auto* model = new ComparisonModel(compared, view, this);
  auto* table = new PlainTable(
      tr("No runs are compared. Check some with Space in the list of runs or in the table of runs (T)."),
      this);
  table->setObjectName(QStringLiteral("comparisonTable"));
  table->setMinimumHeight(40);
  table->setAccessibleName(tr("Values of the compared runs"));
  table->setIconSize({12, 12});
  table->setModel(model);
  table->setColumnWidth(0, 176);
  // The widest number has a power of ten.
  const int widest = 24 + table->fontMetrics().horizontalAdvance(common::formatNumber(-1.05e-10));
  for (int column = kFirst; column < model->columnCount(); ++column) {
    const QString title = model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    table->setColumnWidth(column, std::max(widest, 24 + 7 * static_cast<int>(title.size())));
  }
  table->horizontalHeader()->setStretchLastSection(false);
  vbox(this, {}, 0, {table});
  connect(table, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
    Q_EMIT runOpened(index.data(ComparisonModel::IdRole).toString());
  });
}

}  // namespace batchscope::desktop
