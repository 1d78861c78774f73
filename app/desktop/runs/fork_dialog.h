// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a fork of a run is to be called, on how many replicas and with which arguments it goes on from the
// checkpoint; and the command line that it amounts to.
#pragma once

#include "batchscope/run/fork.h"
#include "runs/start_dialog.h"

namespace batchscope::desktop {

class ForkDialog : public StartDialog {
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
  QLineEdit* words_;
};

}  // namespace batchscope::desktop
