// SPDX-License-Identifier: GPL-3.0-or-later
//
// The base of the dialogs that start a run: the complaints about it, the command line that does the same and
// can be copied, and the button, which is enabled while nothing is wrong.
#pragma once

#include <QDialog>

#include "look/box.h"

class QLineEdit;
class QPushButton;

namespace batchscope::desktop {

class StartDialog : public QDialog {
  Q_OBJECT
 protected:
  // `start`: what the button says.
  StartDialog(const QString& start, QWidget* parent);

  // Puts this above what every such dialog has. The dialog is this high where there is room; 0: as high as it
  // needs.
  void layOut(std::initializer_list<BoxItem> items, int height = 0);
  // The keyboard goes from the last field to what every such dialog has.
  void tabAfter(QWidget* lastField);
  // Either what is wrong, or the command line.
  void judge(const QStringList& complaints, const QString& command);

  // Sets the button's text.
  void setStartText(const QString& start);

 private:
  QLabel* complaint_;
  QLineEdit* command_;
  QPushButton *copy_, *start_;
};

}  // namespace batchscope::desktop
