// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/comparison_panel.h"

#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>

#include "batchscope/protocol/series.h"
#include "chart/view_state.h"
#include "look/format.h"
#include "look/plain_table.h"
#include "look/swatch.h"
#include "look/theme.h"

namespace batchscope::desktop {
namespace {

namespace names = protocol::series;

struct ValueColumn {
  const char* title;
  const char* series;
  double factor = 1;
};

constexpr std::array<ValueColumn, 9> kColumns{
    {{QT_TRANSLATE_NOOP("ComparisonModel", "Step"), kStepSeries},
     {QT_TRANSLATE_NOOP("ComparisonModel", "Loss"), names::kLoss},
     {QT_TRANSLATE_NOOP("ComparisonModel", "Accuracy"), names::kAccuracy},
     {QT_TRANSLATE_NOOP("ComparisonModel", "Gain"), names::kGain},
     {QT_TRANSLATE_NOOP("ComparisonModel", "Batch size"), names::kBatchSize},
     {QT_TRANSLATE_NOOP("ComparisonModel", "Throughput /s"), names::kThroughput},
     {QT_TRANSLATE_NOOP("ComparisonModel", "Goodput /s"), names::kGoodput},
     {QT_TRANSLATE_NOOP("ComparisonModel", "Efficiency"), names::kEfficiency},
     {QT_TRANSLATE_NOOP("ComparisonModel", "Step time ms"), names::kStepTime, 1e3}}};
constexpr int kFirst = 1;  // behind the name

QString placeText(XAxis axis, double x) {
  if (isTime(axis)) return formatClock(x);
  return axis == XAxis::Epoch ? formatNumber(x) : formatCount(std::llround(x));
}

}  // namespace

ComparisonModel::ComparisonModel(ComparedSeries* compared, ViewState* view, QObject* parent)
    : QAbstractTableModel(parent), compared_(compared), view_(view) {
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
  cells_.assign(runs_.size(), std::vector<QString>(static_cast<std::size_t>(columnCount())));
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
      cells[kFirst + i] = value ? formatNumber(*value * kColumns[i].factor) : QStringLiteral("–");
    }
  }
  Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
  Q_EMIT headerDataChanged(Qt::Horizontal, 0, 0);
}

int ComparisonModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(runs_.size());
}

int ComparisonModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kFirst + static_cast<int>(kColumns.size());
}

QVariant ComparisonModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto row = static_cast<std::size_t>(index.row());
  switch (role) {
    case Qt::DisplayRole: return cells_[row][static_cast<std::size_t>(index.column())];
    case Qt::ToolTipRole: return index.column() < kFirst ? data(index, Qt::DisplayRole) : QVariant();
    case Qt::DecorationRole:
      return index.column() == 0 ? QVariant(stroke(Theme::current().run(runs_[row].colour))) : QVariant();
    case Qt::ForegroundRole: return index.column() == 0 ? QVariant() : QVariant(Theme::current().dim);
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (index.column() < kFirst ? Qt::AlignLeft : Qt::AlignRight));
    case IdRole: return QString::fromStdString(runs_[row].id);
    default: return {};
  }
}

QVariant ComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant(Qt::AlignVCenter | (section < kFirst ? Qt::AlignLeft : Qt::AlignRight));
  if (role != Qt::DisplayRole) return {};
  if (section == 0) return place_.isEmpty() ? tr("Run") : place_;
  return tr(kColumns[static_cast<std::size_t>(section - kFirst)].title);
}

ComparisonPanel::ComparisonPanel(ComparedSeries* compared, ViewState* view, QWidget* parent)
    : QWidget(parent), model_(new ComparisonModel(compared, view, this)) {
  auto* table = new PlainTable(
      tr("Nothing is compared. Check runs with Space in the list at the left or in the table of runs (T)."),
      this);
  table->setObjectName(QStringLiteral("comparisonTable"));
  table->setMinimumHeight(40);
  table->setAccessibleName(tr("Values of the compared runs"));
  table->setIconSize({12, 12});
  table->setModel(model_);
  table->setColumnWidth(0, 176);
  for (int column = kFirst; column < model_->columnCount(); ++column) {
    const QString title = model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    table->setColumnWidth(column, std::max(84, 24 + 7 * static_cast<int>(title.size())));
  }
  table->horizontalHeader()->setStretchLastSection(false);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(table);
  connect(table, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
    Q_EMIT runOpened(index.data(ComparisonModel::IdRole).toString());
  });
}

}  // namespace batchscope::desktop
