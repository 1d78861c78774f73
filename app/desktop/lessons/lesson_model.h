// SPDX-License-Identifier: GPL-3.0-or-later
//
// The lessons as a list: title, what each is about, and which were read to their end.
#pragma once

#include <QAbstractListModel>
#include <QStringList>
#include <vector>

#include "lessons/lesson.h"

namespace batchscope::desktop {

class LessonModel : public QAbstractListModel {
  Q_OBJECT
 public:
  enum Role { SummaryRole = Qt::UserRole, DoneRole };

  explicit LessonModel(std::vector<Lesson> lessons, QObject* parent = nullptr);

  const Lesson& lesson(int row) const { return lessons_.at(static_cast<std::size_t>(row)); }
  // Names of those that are done; names of no lesson do no harm.
  void setDone(const QStringList& names);
  void markDone(int row);
  QStringList done() const { return done_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  std::vector<Lesson> lessons_;
  QStringList done_;
};

}  // namespace batchscope::desktop
