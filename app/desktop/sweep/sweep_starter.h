// SPDX-License-Identifier: GPL-3.0-or-later
//
// Begins the sweep of a file that a person chooses, by the command `batchscope sweep run FILE --detach`. Its
// error message is shown unchanged.
#pragma once

#include <QObject>

class QWidget;

namespace batchscope::desktop {

class SweepStarter : public QObject {
  Q_OBJECT
 public:
  explicit SweepStarter(QWidget* page);

  void chooseFile();
  void begin(const QString& file);

 Q_SIGNALS:
  void said(const QString& message);
  void begun();

 private:
  void refuse(const QString& file, const QString& complaint);

  QWidget* page_;
};

}  // namespace batchscope::desktop
