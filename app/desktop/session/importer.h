// SPDX-License-Identifier: GPL-3.0-or-later
//
// Imports exported runs, one after another, without blocking the window. A file that is not an exported run
// stops none of the others. Destroying it waits for the file that is under way.
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
  // Emitted after the last file: the ids of the runs, and for each refused file its name and the reason.
  void finished(const QStringList& runs, const QStringList& refusals);

 private:
  void next();
  void take(const QString& run, const QString& refusal);

  QStringList waiting_, runs_, refusals_;
  bool isBusy_ = false;
  QThreadPool thread_;  // the last member, so that the others outlive it
};

}  // namespace batchscope::desktop
