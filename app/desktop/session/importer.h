// SPDX-License-Identifier: GPL-3.0-or-later
//
// Takes in exported runs, one after another and beside the window. A file that is none loses nothing: the
// others are taken in all the same. Destroying it waits for the file that is under way.
#pragma once

#include <QObject>
#include <QStringList>
#include <QThreadPool>

namespace batchscope::desktop {

class Importer : public QObject {
  Q_OBJECT
 public:
  explicit Importer(QObject* parent = nullptr);

  // Adds files behind those that wait already.
  void add(const QStringList& files);

 Q_SIGNALS:
  // The file that is under way, from 1, of how many.
  void began(int file, int all, const QString& name);
  // All are through: the ids of the runs, and for each file that was refused why, with its name.
  void finished(const QStringList& runs, const QStringList& refusals);

 private:
  void next();
  void take(const QString& run, const QString& refusal);

  QStringList waiting_, runs_, refusals_;
  bool isBusy_ = false;
  QThreadPool thread_;  // the last member, so that the others outlive it
};

}  // namespace batchscope::desktop
