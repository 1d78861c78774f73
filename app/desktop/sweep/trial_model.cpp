// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/trial_model.h"

#include <QFont>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "batchscope/common/number_text.h"
#include "batchscope/common/sweep_text.h"
#include "look/swatch.h"
#include "look/theme.h"

namespace batchscope::desktop {
namespace {

using sweep::Parameter;
using sweep::TrialView;

bool looksSame(const TrialView& a, const TrialView& b) {
  const auto shownFields = [](const TrialView& trial) {
    return std::tie(trial.standing.state, trial.standing.rung, trial.standing.value,
                    trial.standing.device_hours, trial.parameters, trial.message);
  };
  return shownFields(a) == shownFields(b);
}

}  // namespace

std::vector<TrialModel::Column> TrialModel::columnsOf(const sweep::SweepView& view) const {
  std::vector<Column> columns{{Kind::Number, 0, tr("Trial"), true}, {Kind::State, 0, tr("State")}};
  const auto& parameters = view.file.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].count() != 1)
      columns.push_back({Kind::Parameter, i, QString::fromStdString(parameters[i].name),
                         parameters[i].kind != Parameter::Kind::choice});
  columns.push_back({Kind::Value, 0, QString::fromStdString(view.file.metric), true});
  if (view.file.stop.kind != sweep::StopRule::Kind::none)
    columns.push_back({Kind::Rung, 0, tr("Rung"), true});
  columns.push_back({Kind::DeviceTime, 0, tr("Device time"), true});
  columns.push_back({Kind::Message, 0, tr("What went wrong")});
  return columns;
}

void TrialModel::setView(std::shared_ptr<const sweep::SweepView> view) {
  std::vector<Column> columns = view ? columnsOf(*view) : std::vector<Column>();
  const bool isOther = columns != columns_ || (view && view_ && view->sweep.name != view_->sweep.name);
  const std::size_t count = view ? view->trials.size() : 0;
  if (isOther || !view || !view_ || count < count_) {
    beginResetModel();
    view_ = std::move(view);
    columns_ = std::move(columns);
    count_ = count;
    hovered_.reset();
    endResetModel();
    return;
  }
  // Trials are added behind the others, and what has not changed of those is not drawn anew.
  const std::shared_ptr<const sweep::SweepView> before = std::exchange(view_, std::move(view));
  const bool isOtherState = before->sweep.state != view_->sweep.state;
  const std::size_t known = count_;
  for (std::size_t row = 0; row < known; ++row) {
    const bool wasBest = before->best == row, isBest = view_->best == row;
    if (isOtherState || wasBest != isBest || !looksSame(before->trials[row], view_->trials[row]))
      Q_EMIT dataChanged(index(static_cast<int>(row), 0), index(static_cast<int>(row), columnCount() - 1));
  }
  if (count == known) return;
  beginInsertRows({}, static_cast<int>(known), static_cast<int>(count) - 1);
  count_ = count;
  endInsertRows();
}

void TrialModel::setHovered(std::optional<std::size_t> trial) {
  if (trial == hovered_) return;
  const auto before = std::exchange(hovered_, trial);
  for (const auto& each : {before, hovered_})
    if (each && *each < count_)
      Q_EMIT dataChanged(index(static_cast<int>(*each), 0), index(static_cast<int>(*each), columnCount() - 1),
                         {Qt::BackgroundRole});
}

int TrialModel::valueColumn() const {
  const auto found = std::ranges::find(columns_, Kind::Value, &Column::kind);
  return found == columns_.end() ? -1 : static_cast<int>(found - columns_.begin());
}

QString TrialModel::text(const TrialView& trial, std::size_t row, const Column& column) const {
  switch (column.kind) {
    case Kind::Number: return common::formatCount(static_cast<std::int64_t>(row));
    case Kind::State: return common::describe(*view_, row).text;
    case Kind::Parameter: {
      const auto& value = trial.standing.point[column.parameter];
      return value ? QString::fromStdString(view_->file.parameters[column.parameter].text(*value))
                   : QStringLiteral("–");
    }
    case Kind::Value: return common::valueText(*view_, row);
    case Kind::Rung:
      return trial.standing.rung < 0 ? QStringLiteral("–") : common::formatCount(trial.standing.rung);
    case Kind::DeviceTime:
      return trial.standing.device_hours > 0 ? common::formatDuration(3600 * trial.standing.device_hours)
                                             : QStringLiteral("–");
    case Kind::Message: return QString::fromStdString(trial.message);
  }
  return {};
}

QVariant TrialModel::key(const TrialView& trial, std::size_t row, const Column& column) const {
  const auto number = [](double value) { return std::isfinite(value) ? QVariant(value) : QVariant(); };
  switch (column.kind) {
    case Kind::Number: return number(static_cast<double>(row));
    case Kind::Parameter: {
      const auto& value = trial.standing.point[column.parameter];
      return value ? QVariant(*value) : QVariant();
    }
    case Kind::Value: return trial.standing.value ? number(*trial.standing.value) : QVariant();
    case Kind::Rung: return trial.standing.rung < 0 ? QVariant() : QVariant(double(trial.standing.rung));
    case Kind::DeviceTime:
      return trial.standing.device_hours > 0 ? number(trial.standing.device_hours) : QVariant();
    default: {
      const QString words = text(trial, row, column);
      return words.isEmpty() ? QVariant() : QVariant(words);
    }
  }
}

QVariant TrialModel::cell(std::size_t row, std::size_t column, int role) const {
  const TrialView& trial = view_->trials[row];
  const Column& at = columns_[column];
  const Theme& theme = Theme::current();
  const bool isBest = view_->best == row;
  switch (role) {
    case Qt::DisplayRole: return text(trial, row, at);
    case Qt::ToolTipRole:
      return common::trialText(*view_, row) + (isBest ? tr("\nthe best so far") : QString());
    case Qt::TextAlignmentRole: return aligned(at.isNumber);
    case Qt::ForegroundRole: {
      const bool isSubject = at.kind == Kind::Value || at.kind == Kind::Number;
      return isSubject || isBest ? QVariant() : QVariant(theme.dim);
    }
    case Qt::FontRole: return isBest ? QVariant(interfaceFont(12, QFont::DemiBold)) : QVariant();
    case Qt::BackgroundRole:
      return hovered_ == row ? QVariant(mixed(theme.panel, theme.selection, 0.7)) : QVariant();
    case Qt::DecorationRole:
      if (at.kind == Kind::State) return dot(toneColour(common::describe(*view_, row).tone, theme));
      if (at.kind == Kind::Number && isBest) return stroke(theme.series[1]);
      return {};
    case Qt::AccessibleTextRole:
      return at.kind == Kind::Number && isBest ? tr("%1, the best so far").arg(text(trial, row, at))
                                               : text(trial, row, at);
    case SortRole: return key(trial, row, at);
    default: return {};
  }
}

QVariant TrialModel::title(std::size_t column, int role) const {
  const Column& at = columns_[column];
  switch (role) {
    case Qt::DisplayRole: return at.title;
    case Qt::ToolTipRole:
      switch (at.kind) {
        case Kind::Value: return tr("Its newest value, at its rung");
        case Kind::Rung: return tr("How far it came: rungs are counted from 0");
        case Kind::DeviceTime: return tr("Time that it trained, times the devices that it had");
        default: return {};
      }
    case Qt::TextAlignmentRole: return aligned(at.isNumber);
    default: return {};
  }
}

TrialFilter::TrialFilter(TrialModel* trials, QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(TrialModel::SortRole);
  setSourceModel(trials);
}

void TrialFilter::setText(const QString& text) {
  const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  if (words == words_) return;
  words_ = words;
  invalidateFilter();
}

void TrialFilter::setBrushed(std::vector<bool> kept) {
  if (kept == brushed_) return;
  brushed_ = std::move(kept);
  invalidateFilter();
}

std::vector<bool> TrialFilter::shown(std::size_t trials) const {
  std::vector<bool> shown(trials, false);
  for (int row = 0; row < rowCount(); ++row)
    shown[static_cast<std::size_t>(mapToSource(index(row, 0)).row())] = true;
  return shown;
}

bool TrialFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const auto trial = static_cast<std::size_t>(row);
  if (trial < brushed_.size() && !brushed_[trial]) return false;
  if (words_.isEmpty()) return true;
  QString all;
  for (int column = 0; column < sourceModel()->columnCount(parent); ++column)
    all += sourceModel()->index(row, column, parent).data().toString() + QLatin1Char('\n');
  return std::ranges::all_of(words_,
                             [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

// A descending sort asks whether the right one comes before the left one: what is not there is last in both.
bool TrialFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const QVariant a = left.data(sortRole()), b = right.data(sortRole());
  if (a.isValid() != b.isValid()) return a.isValid() == (sortOrder() == Qt::AscendingOrder);
  return a.typeId() == QMetaType::QString ? a.toString().localeAwareCompare(b.toString()) < 0
                                          : a.toDouble() < b.toDouble();
}

}  // namespace batchscope::desktop
