// SPDX-License-Identifier: GPL-3.0-or-later
#include "records/events_panel.h"

#include <QSignalBlocker>
#include <algorithm>
#include <iterator>
#include <utility>

#include "batchscope/common/number_text.h"
#include "look/theme.h"
#include "records/step_link.h"
#include "series/view_state.h"
#include "session/run_session.h"

namespace batchscope::desktop {
namespace {

bool isAfter(const storage::Event& event, const StepRef& step) {
  return std::pair(event.generation, event.step) > std::pair(step.generation, step.step);
}

}  // namespace

void EventModel::reset(double start) {
  beginResetModel();
  start_ = start;
  events_.clear();
  lastId_ = 0;
  shown_ = 0;
  endResetModel();
}

void EventModel::append(const std::vector<storage::Event>& events) {
  if (!events.empty()) lastId_ = events.back().id;
  std::ranges::copy_if(events, std::back_inserter(events_),
                       [](const storage::Event& event) { return event.level != "debug"; });
  updateShown();
}

void EventModel::setEnd(const std::optional<StepRef>& step) {
  if (step == end_) return;
  end_ = step;
  updateShown();
}

void EventModel::updateShown() {
  const auto isLater = [this](const storage::Event& event) { return end_ && isAfter(event, *end_); };
  const auto until = static_cast<std::size_t>(std::ranges::find_if(events_, isLater) - events_.begin());
  if (until > shown_) {
    beginInsertRows({}, 0, static_cast<int>(until - shown_) - 1);
    shown_ = until;
    endInsertRows();
  } else if (until < shown_) {
    beginRemoveRows({}, 0, static_cast<int>(shown_ - until) - 1);
    shown_ = until;
    endRemoveRows();
  }
}

QVariant EventModel::cell(std::size_t row, std::size_t column, int role) const {
  const storage::Event& event = at(static_cast<int>(row));
  const Theme& theme = Theme::current();
  switch (role) {
    case Qt::DisplayRole:
      return column == TimeColumn ? common::formatClock(event.time - start_)
                                  : QString::fromStdString(event.text);
    case Qt::ToolTipRole:
      return tr("%1\n%2, step %3, generation %4")
          .arg(QString::fromStdString(event.text), common::formatTimeOfDay(event.time),
               common::formatCount(event.step))
          .arg(event.generation);
    case Qt::ForegroundRole:
      if (column == TimeColumn) return theme.text;
      if (event.level == "warning") return theme.warning;
      return event.level == "error" ? theme.bad : theme.dim;
    case Qt::TextAlignmentRole: return aligned(false);
    default: return {};
  }
}

const storage::Event& EventModel::at(int row) const {
  return events_.at(shown_ - 1 - static_cast<std::size_t>(row));
}

int EventModel::rowAt(const StepRef& step) const {
  for (int row = 0; row < rowCount(); ++row) {
    if (!isAfter(at(row), step)) return row;
  }
  return -1;
}

EventsPanel::EventsPanel(RunSession* session, ViewState* state, QWidget* parent)
    : PlainTable(tr("Nothing has happened yet."), parent) {
  auto* events = new EventModel(this);
  setAccessibleName(tr("Events"));
  setModel(events);
  hideHeader();
  setColumnWidth(EventModel::TimeColumn, 72);
  linkToCursor(
      this, state,
      [events](int row) {
        return StepRef{events->at(row).generation, events->at(row).step};
      },
      [events](const StepRef& step) { return events->rowAt(step); });
  connect(session, &RunSession::opened, events, [=] { events->reset(session->started()); });
  connect(state, &ViewState::changed, events, [this, state, events] {
    const QSignalBlocker quiet(selectionModel());  // the removal of the chosen row does not choose another
    events->setEnd(state->headStep());
  });
  connect(session, &RunSession::detailsChanged, events, [=] {
    if (session->isOpen()) events->append(session->events(events->lastId()));
  });
}

}  // namespace batchscope::desktop
