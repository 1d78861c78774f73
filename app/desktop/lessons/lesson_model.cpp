// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lesson_model.h"

#include <utility>

namespace batchscope::desktop {

LessonModel::LessonModel(std::vector<Lesson> lessons, QObject* parent)
    : QAbstractListModel(parent), lessons_(std::move(lessons)) {}

void LessonModel::setDone(const QStringList& names) {
  done_ = names;
  if (rowCount() > 0) Q_EMIT dataChanged(index(0), index(rowCount() - 1));
}

void LessonModel::markDone(int row) {
  if (done_.contains(lesson(row).name)) return;
  done_ << lesson(row).name;
  Q_EMIT dataChanged(index(row), index(row));
}

int LessonModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(lessons_.size());
}

QVariant LessonModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const Lesson& lesson = lessons_[static_cast<std::size_t>(index.row())];
  const bool isDone = done_.contains(lesson.name);
  switch (role) {
    case Qt::DisplayRole: return lesson.title;
    case SummaryRole: return lesson.summary;
    case DoneRole: return isDone;
    case Qt::AccessibleTextRole:
      return isDone ? tr("%1, done. %2").arg(lesson.title, lesson.summary)
                    : tr("%1. %2").arg(lesson.title, lesson.summary);
    default: return {};
  }
}

}  // namespace batchscope::desktop
