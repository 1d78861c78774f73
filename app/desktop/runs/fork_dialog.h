// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a fork of a run is to be called, on how many replicas and with which arguments it goes on from the
// checkpoint; and the command line that it amounts to.
#pragma once

#include <QDialog>

#include "batchscope/run/fork.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace batchscope::desktop {

class ForkDialog : public QDialog {
  Q_OBJECT
 public:
  ForkDialog(const storage::Run& run, const storage::Checkpoint& checkpoint, QWidget* parent = nullptr);

  run::ForkOptions options() const;
  QString command() const;

 private:
  void validate();

  std::string run_, checkpoint_;
  std::vector<std::string> arguments_;  // of the run
  QLineEdit* name_;
  QSpinBox* replicas_;
  QLineEdit* words_;
  QLabel* complaint_;
  QLineEdit* command_;
  QPushButton* start_;
};

}  // namespace batchscope::desktop
