// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the dialogs that start a run share: on how many replicas, what of it cannot be, the command line that
// does the same, and the button, which is enabled while nothing is wrong.
#pragma once

#include <QDialog>

#include "look/box.h"

class QLineEdit;
class QPushButton;
class QSpinBox;

namespace batchscope::desktop {

class StartDialog : public QDialog {
  Q_OBJECT
 protected:
  // `start`: what the button says.
  StartDialog(const QString& start, int mostReplicas, QWidget* parent);

  // Puts this above what every such dialog has.
  void layOut(std::initializer_list<BoxItem> items);
  // Either what is wrong or the command line.
  void judge(const QString& complaint, const QString& command);

  // What the button says from now on.
  void setStartText(const QString& start);

  QSpinBox* replicas_;

 private:
  QLabel* complaint_;
  QLineEdit* command_;
  QPushButton* start_;
};

}  // namespace batchscope::desktop
