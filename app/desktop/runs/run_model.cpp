// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/run_model.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "batchscope/common/cluster_text.h"
#include "look/format.h"
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
  return shownFields(a) == shownFields(b);
}

bool belongsToActive(RunState state) { return is_active(state) || state == RunState::paused; }

// Returns whether a person may edit the field, also while the run goes on.
bool isEditable(const std::string& field) {
  return field == "name" || field == "group" || field == "tag" || field == "note";
}

QString joined(const QStringList& parts) { return parts.join(QStringLiteral(" · ")); }

}  // namespace

RunModel::RunModel(Comparison* comparison, QObject* parent) : TableModel(parent), comparison_(comparison) {
  if (comparison_ == nullptr) return;
  connect(comparison_, &Comparison::changed, this, [this] {
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, 0));
  });
}

QString RunModel::detail(const storage::Run& run) {
  QStringList parts;
  if (run.state == RunState::failed || run.state == RunState::interrupted || run.state == RunState::damaged) {
    parts << QString::fromStdString(run.message.empty() ? run_state_name(run.state) : run.message);
    if (is_resumable(run.state)) parts << tr("resumable");
    return joined(parts);
  }
  if (run.epochs > 0) parts << tr("epoch %1 of %2").arg(std::min(run.epoch + 1, run.epochs)).arg(run.epochs);
  const auto metric = [&](const char* name, const QString& text) {
    const auto found = run.latest.find(name);
    if (found != run.latest.end()) parts << text.arg(formatNumber(found->second));
  };
  if (run.latest.contains("accuracy")) {
    metric("accuracy", QStringLiteral("%1"));
  } else {
    metric("loss", tr("loss %1"));
  }
  if (!parts.isEmpty()) return joined(parts);
  if (run.step > 0) return tr("step %1").arg(formatCount(run.step));
  if (belongsToActive(run.state) || run.state == RunState::pending)
    return tr("since %1").arg(formatTimeOfDay(run.created));
  return run.message.empty() ? tr("without a step") : QString::fromStdString(run.message);
}

void RunModel::setRuns(const std::vector<storage::Run>& runs) {
  std::vector<storage::Run> sorted = runs;
  // Waiting runs stand behind those that train, in the order in which they will have devices.
  const auto waiting = std::stable_partition(
      sorted.begin(), sorted.end(), [](const storage::Run& run) { return belongsToActive(run.state); });
  const auto earlier = std::stable_partition(
      waiting, sorted.end(), [](const storage::Run& run) { return run.state == RunState::pending; });
  const auto place = [this](const storage::Run& run) {
    const auto found = waiting_.find(run.id);
    return found == waiting_.end() ? std::numeric_limits<int>::max() : found->second.place;
  };
  std::stable_sort(waiting, earlier, [&](const auto& a, const auto& b) { return place(a) < place(b); });
  replaceRows(
      runs_, std::move(sorted), [](const storage::Run& run) { return run.id; }, looksSame);
}

void RunModel::setFollowed(const std::map<std::string, storage::Origin>& followed) {
  const auto hostAndJob = [](const std::map<std::string, storage::Origin>& all, const std::string& id) {
    const auto found = all.find(id);
    return found == all.end() ? std::nullopt
                              : std::optional(std::pair(found->second.host, found->second.job));
  };
  const auto before = std::exchange(followed_, followed);
  for (int row = 0; row < rowCount(); ++row)
    if (hostAndJob(before, at(row).id) != hostAndJob(followed_, at(row).id))
      Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
}

void RunModel::setWaiting(std::map<std::string, WaitingRun> waiting) {
  if (waiting == waiting_) return;
  waiting_.swap(waiting);
  setRuns(runs_);
  for (int row = 0; row < rowCount(); ++row) {
    const std::string& id = at(row).id;
    const auto now = waiting_.find(id), before = waiting.find(id);
    const bool isKnown = now != waiting_.end(), wasKnown = before != waiting.end();
    if (isKnown != wasKnown || (isKnown && now->second != before->second))
      Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
  }
}

void RunModel::setStatus(const protocol::RunStatus& status) {
  const auto run =
      std::find_if(runs_.begin(), runs_.end(), [&](const auto& r) { return r.id == status.run; });
  if (run == runs_.end()) return;
  const QModelIndex at = index(static_cast<int>(run - runs_.begin()), 0);
  const QVariant detailBefore = at.data(DetailRole), badgeBefore = at.data(BadgeRole);
  run->replicas = status.replicas;
  run->step = status.step;
  run->epoch = status.epoch;
  run->epochs = status.epochs;
  run->latest = status.latest;
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

QVariant RunModel::cell(std::size_t row, std::size_t column, int role) const {
  const storage::Run& run = runs_[row];
  const std::string& field = fields_[column];
  const bool isName = column == 0;
  const QString name = QString::fromStdString(run.name), state = QString::fromUtf8(run_state_name(run.state));
  const auto text = [&] { return fieldText(run, field, storage::now()); };
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
      const QString detailText = waiting == waiting_.end() ? detail(run) : waiting->second.detail;
      const auto place = followed_.find(run.id);
      if (place == followed_.end()) return detailText;
      const auto& job = place->second.job;
      return joined({QString::fromStdString(common::clusterName(place->second)),
                     job && storage::waits(*job) ? QString::fromStdString(job->reason) : detailText});
    }
    case StateRole: return state;
    case SectionRole:
      return belongsToActive(run.state)       ? tr("Active")
             : run.state == RunState::pending ? tr("Waiting")
                                              : tr("Earlier");
    case BadgeRole:
      if (is_active(run.state)) return QStringLiteral("×%1").arg(std::max(1, run.replicas));
      return run.state == RunState::finished ? tr("done") : state;
    default: return {};
  }
}

}  // namespace batchscope::desktop
