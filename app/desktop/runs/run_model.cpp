// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/run_model.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "batchscope/common/cluster_text.h"
#include "batchscope/common/run_text.h"
#include "batchscope/common/trial_text.h"
#include "look/swatch.h"
#include "look/theme.h"
#include "runs/run_field_text.h"
#include "session/comparison.h"

namespace batchscope::desktop {
namespace {

using protocol::RunState;

bool looksSame(const storage::Run& a, const storage::Run& b) {
  const auto shownFields = [](const storage::Run& run) {
    return std::tie(run.name, run.state, run.message, run.ended, run.replicas, run.step, run.epoch,
                    run.epochs, run.fraction, run.latest, run.devices, run.tags, run.note,
                    run.hyperparameters, run.spec.group, run.spec.device);
  };
  return shownFields(a) == shownFields(b) && storage::shown_state(a) == storage::shown_state(b);
}

bool belongsToActive(RunState state) { return is_active(state) || state == RunState::paused; }

// Returns whether a person may edit the field, also while the run goes on.
bool isEditable(const std::string& field) {
  return field == "name" || field == "group" || field == "tag" || field == "note";
}

}  // namespace

RunModel::RunModel(Comparison* comparison, QObject* parent) : TableModel(parent), comparison_(comparison) {
  if (comparison_ == nullptr) return;
  connect(comparison_, &Comparison::changed, this, [this] {
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, 0));
  });
}

void RunModel::setRuns(const std::vector<storage::Run>& runs, const common::ListedSweeps& sweeps) {
  runs_ = runs;
  sweeps_ = sweeps;
  order();
}

void RunModel::order() {
  std::vector<common::RunRow> rows = common::foldTrials(runs_, sweeps_);
  // Waiting runs stand behind those that train, in the order in which they will have devices.
  const auto waiting = std::stable_partition(
      rows.begin(), rows.end(), [](const common::RunRow& row) { return belongsToActive(row.run.state); });
  const auto earlier = std::stable_partition(
      waiting, rows.end(), [](const common::RunRow& row) { return row.run.state == RunState::pending; });
  const auto placeOf = [this](const common::RunRow& row) {
    const auto found = waiting_.find(row.run.id);
    return found == waiting_.end() ? std::numeric_limits<int>::max() : found->second.place;
  };
  std::stable_sort(waiting, earlier, [&](const auto& a, const auto& b) { return placeOf(a) < placeOf(b); });
  std::vector<Entry> entries;
  for (common::RunRow& row : rows) {
    const RunState state = row.run.state;
    if (row.trials.empty()) {
      entries.push_back({.run = std::move(row.run), .section = state});
      continue;
    }
    const QString detail = common::detailText(row);
    entries.push_back({std::move(row.run), Place::sweep, detail, state});
    for (storage::Run& trial : row.trials) {
      const QString wait =
          common::waitsAtRung(trial, sweeps_)
              ? QString::fromStdString(common::rungText(trial.trial->sweep, trial.trial->rung))
              : QString();
      entries.push_back({std::move(trial), Place::trial, wait, state});
    }
  }
  replaceRows(
      entries_, std::move(entries),
      [](const Entry& entry) {
        return entry.place == Place::sweep ? "sweep " + entry.run.name : entry.run.id;
      },
      [](const Entry& a, const Entry& b) {
        return a.place == b.place && a.detail == b.detail && a.section == b.section &&
               looksSame(a.run, b.run);
      });
}

std::string RunModel::sweepOf(int row) const {
  switch (place(row)) {
    case Place::run: return {};
    case Place::sweep: return at(row).name;
    case Place::trial: return at(row).trial->sweep;
  }
  return {};
}

void RunModel::setFollowed(const std::map<std::string, storage::Origin>& followed,
                           const std::map<std::string, std::string>& silences) {
  const auto hostAndJob = [](const std::map<std::string, storage::Origin>& all, const std::string& id) {
    const auto found = all.find(id);
    return found == all.end() ? std::nullopt
                              : std::optional(std::pair(found->second.host, found->second.job));
  };
  const auto before = std::exchange(followed_, followed);
  const auto silencesBefore = std::exchange(silences_, silences);
  const auto textOf = [](const std::map<std::string, std::string>& all, const std::string& id) {
    const auto found = all.find(id);
    return found == all.end() ? std::string() : found->second;
  };
  for (int row = 0; row < rowCount(); ++row)
    if (hostAndJob(before, at(row).id) != hostAndJob(followed_, at(row).id) ||
        textOf(silencesBefore, at(row).id) != textOf(silences_, at(row).id))
      Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
}

void RunModel::setWaiting(std::map<std::string, WaitingRun> waiting) {
  if (waiting == waiting_) return;
  waiting_.swap(waiting);
  order();
  for (int row = 0; row < rowCount(); ++row) {
    const std::string& id = at(row).id;
    const auto now = waiting_.find(id), before = waiting.find(id);
    const bool isKnown = now != waiting_.end(), wasKnown = before != waiting.end();
    if (isKnown != wasKnown || (isKnown && now->second != before->second))
      Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
  }
}

void RunModel::setStatus(const protocol::RunStatus& status) {
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const auto& each) { return each.run.id == status.run; });
  if (entry == entries_.end()) return;
  const QModelIndex at = index(static_cast<int>(entry - entries_.begin()), 0);
  const QVariant detailBefore = at.data(DetailRole), badgeBefore = at.data(BadgeRole);
  common::takeOver(status, entry->run);
  if (at.data(DetailRole) != detailBefore || at.data(BadgeRole) != badgeBefore)
    Q_EMIT dataChanged(at, at.siblingAtColumn(columnCount() - 1));
}

void RunModel::setFields(const std::vector<std::string>& fields) {
  std::vector<std::string> wanted{"name"};
  std::copy_if(fields.begin(), fields.end(), std::back_inserter(wanted),
               [](const std::string& field) { return field != "name"; });
  if (wanted == fields_) return;
  // The first column stays, and with it what is chosen in a list of names.
  if (columnCount() > 1) {
    beginRemoveColumns({}, 1, columnCount() - 1);
    fields_.resize(1);
    endRemoveColumns();
  }
  if (wanted.size() == 1) return;
  beginInsertColumns({}, 1, static_cast<int>(wanted.size()) - 1);
  fields_ = std::move(wanted);
  endInsertColumns();
}

QVariant RunModel::title(std::size_t column, int role) const {
  const std::string& field = fields_[column];
  if (role == Qt::DisplayRole) return fieldTitle(field);
  if (role == Qt::ToolTipRole) return tr("Sort by %1").arg(QString::fromStdString(field));
  if (role != Qt::TextAlignmentRole) return {};
  // A column is aligned as its first value below.
  storage::FieldValue value;
  for (auto run = runs_.begin(); run != runs_.end() && value.index() == 0; ++run)
    value = storage::field_value(*run, field, run->created);
  return aligned(isNumeric(field, value));
}

Qt::ItemFlags RunModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  Qt::ItemFlags flags = TableModel::flags(index) | Qt::ItemNeverHasChildren;
  if (place(index.row()) == Place::sweep) return flags;
  if (isEditable(field(index.column()))) flags |= Qt::ItemIsEditable;
  if (index.column() == 0 && comparison_ != nullptr) flags |= Qt::ItemIsUserCheckable;
  return flags;
}

bool RunModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role == Qt::CheckStateRole && flags(index).testFlag(Qt::ItemIsUserCheckable)) {
    comparison_->choose(at(index.row()).id, value.toInt() == Qt::Checked);
    return true;
  }
  if (role != Qt::EditRole || !flags(index).testFlag(Qt::ItemIsEditable)) return false;
  if (value.toString() == index.data(Qt::EditRole).toString()) return false;
  Q_EMIT edited(QString::fromStdString(at(index.row()).id), QString::fromStdString(field(index.column())),
                value.toString());
  return true;
}

QVariant RunModel::colourOf(const storage::Run& run) const {
  const auto colour = comparison_ == nullptr ? std::nullopt : comparison_->colourOf(run.id);
  return colour ? QVariant(Theme::current().run(*colour)) : QVariant();
}

QVariant RunModel::sweepCell(const Entry& entry, std::size_t column, int role) const {
  const std::string& field = fields_[column];
  const QString name = QString::fromStdString(entry.run.name);
  switch (role) {
    case Qt::DisplayRole:
      if (field == "replicas" && entry.run.replicas == 0) return {};
      if (field == "epoch" || field == "step" || field == "restarts" || field == "duration") return {};
      return fieldText(entry.run, field, storage::now());
    case Qt::DecorationRole:
      return field == "state" ? QVariant(dot(stateColour(fieldText(entry.run, field, 0), Theme::current())))
                              : QVariant();
    case Qt::ToolTipRole: return tr("The sweep %1: %2").arg(name, entry.detail);
    case Qt::AccessibleTextRole: return column == 0 ? tr("Sweep %1, %2").arg(name, entry.detail) : QVariant();
    case Qt::TextAlignmentRole:
      return aligned(isNumeric(field, storage::field_value(entry.run, field, storage::now())));
    case Qt::ForegroundRole: return column == 0 ? QVariant() : QVariant(Theme::current().dim);
    case IdRole: return QString();
    case DetailRole: return entry.detail;
    default: return {};
  }
}

QVariant RunModel::cell(std::size_t row, std::size_t column, int role) const {
  const Entry& entry = entries_[row];
  const storage::Run& run = entry.run;
  if (role == SectionRole)
    return belongsToActive(entry.section)       ? tr("Active")
           : entry.section == RunState::pending ? tr("Waiting")
                                                : tr("Earlier");
  const auto silence = silences_.find(run.id);
  const bool isSilent = silence != silences_.end();
  const QString state = QString::fromStdString(isSilent ? silence->second : storage::shown_state(run));
  if (role == StateRole) return state;
  if (role == BadgeRole && entry.place == Place::sweep && run.replicas == 0 && is_active(run.state))
    return QString();
  if (entry.place == Place::sweep && role != BadgeRole) return sweepCell(entry, column, role);
  const std::string& field = fields_[column];
  const bool isName = column == 0;
  const QString name = QString::fromStdString(run.name);
  const auto text = [&] {
    return field == "state" && isSilent ? state : fieldText(run, field, storage::now());
  };
  switch (role) {
    case Qt::DisplayRole: return isName ? name : text();
    case Qt::EditRole: return field == "note" ? QString::fromStdString(run.note) : text();
    case Qt::TextAlignmentRole:
      return aligned(isNumeric(field, storage::field_value(run, field, storage::now())));
    case Qt::CheckStateRole:
      if (!isName || comparison_ == nullptr) return {};
      return comparison_->isChosen(run.id) ? Qt::Checked : Qt::Unchecked;
    case ColourRole: return colourOf(run);
    case Qt::DecorationRole: {
      if (field == "state") return dot(stateColour(state, Theme::current()));
      const QVariant colour = isName ? colourOf(run) : QVariant();
      return colour.isValid() ? QVariant(stroke(colour.value<QColor>())) : QVariant();
    }
    case Qt::ForegroundRole: return isName ? QVariant() : QVariant(Theme::current().dim);
    case Qt::ToolTipRole: return isName ? tr("%1 (%2)").arg(name, QString::fromStdString(run.id)) : text();
    case Qt::AccessibleTextRole:
      return isName ? tr("%1, %2, %3").arg(name, state, cell(row, 0, DetailRole).toString()) : text();
    case IdRole: return QString::fromStdString(run.id);
    case DetailRole: {
      const auto waiting = waiting_.find(run.id);
      const QString detailText = isSilent                    ? state
                                 : !entry.detail.isEmpty()   ? entry.detail
                                 : waiting == waiting_.end() ? common::detailText(run)
                                                             : waiting->second.detail;
      const auto place = followed_.find(run.id);
      if (place == followed_.end()) return detailText;
      const auto& job = place->second.job;
      return QStringList{QString::fromStdString(common::clusterName(place->second)),
                         job && storage::waits(*job) ? QString::fromStdString(job->reason) : detailText}
          .join(QStringLiteral(" · "));
    }
    case BadgeRole:
      if (isSilent) return QString();
      return common::badgeText(run);
    default: return {};
  }
}

}  // namespace batchscope::desktop
