// SPDX-License-Identifier: GPL-3.0-or-later
//
// The bar above the charts of a run that failed: when, why, and what helps now. It offers to resume from the
// newest checkpoint where there is one, else to start a run like it with other values; and its log.
#pragma once

#include <QFrame>

class QLabel;
class QPushButton;

namespace batchscope::desktop {

class RunSession;

class FailureBar : public QFrame {
  Q_OBJECT
 public:
  explicit FailureBar(RunSession* session, QWidget* parent = nullptr);

 Q_SIGNALS:
  void resumeRequested();
  void cloneRequested(const QString& id);
  void logRequested();

 private:
  void refresh();

  RunSession* session_;
  QLabel *what_, *why_;
  QPushButton *resume_, *clone_, *log_;
};

}  // namespace batchscope::desktop
