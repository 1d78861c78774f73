// SPDX-License-Identifier: GPL-3.0-or-later
//
// The dialog that forks a run: the name, replicas and arguments with which it goes on from the checkpoint,
// and the command line that does the same. Arguments that a recipe knows are its fields.
#pragma once

#include "batchscope/run/fork.h"
#include "batchscope/run/recipe.h"
#include "runs/start_dialog.h"

namespace batchscope::desktop {

class CheckedForm;
class ParameterForm;

class ForkDialog : public StartDialog {
  Q_OBJECT
 public:
  ForkDialog(const storage::Run& run, const storage::Checkpoint& checkpoint,
             const std::vector<run::Recipe>& recipes = {}, QWidget* parent = nullptr);

  run::ForkOptions options() const;
  QString command() const;

 private:
  void validate();
  int replicas() const;  // 0: no number of replicas
  std::optional<std::vector<std::string>> arguments() const;

  std::string run_, checkpoint_;
  std::vector<std::string> arguments_;  // of the run
  CheckedForm* form_;
  QLineEdit *name_, *replicas_, *words_;
  ParameterForm* parameters_ = nullptr;  // in place of words_
};

}  // namespace batchscope::desktop
