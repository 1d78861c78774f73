// SPDX-License-Identifier: GPL-3.0-or-later
//
// The dialog that starts a run, now or by the queue of the pool: a recipe with its parameters, or any
// program; the number of replicas, the name, and notes about it. Fields are checked while a person types.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/storage/catalogue.h"
#include "runs/start_dialog.h"
#include "session/run_command.h"

class QCheckBox;
class QComboBox;
class QSpinBox;

namespace batchscope::desktop {

class CheckedForm;
class ParameterForm;
class ProgramForm;
class QueueForm;
class Segments;

// The choices that this machine and its runs offer.
struct NewRunOffer {
  std::vector<run::Recipe> recipes = {};
  std::string first = {};                                      // the recipe that is shown first, by its name
  int devices = 1;                                             // GPUs, or cores where there is none
  std::vector<std::string> gpus = {};                          // "cuda:0"
  std::vector<std::pair<std::string, std::string>> runs = {};  // to go behind in the queue: ids and names
  // Throws Error where the run could not be started as things are; none: that is not asked.
  std::function<void(const NewRun&)> check = {};
};

class NewRunDialog : public StartDialog {
  Q_OBJECT
 public:
  explicit NewRunDialog(NewRunOffer offer, QWidget* parent = nullptr);

  // Chooses between the queue and now.
  void setQueued(bool isQueued);
  bool isQueued() const;
  // Fills it in with what this run was started with.
  void clone(const storage::Run& run);

  // Throws Error as Recipe::spec does.
  NewRun newRun() const;
  // The command line that does the same.
  QString command() const;

 private:
  void fillForms();
  void showProgram(const run::Recipe::Values& values);
  void suggestReplicas();
  void validate();
  void checkFields();
  const run::Recipe* recipe() const;        // null: any program
  protocol::ReplicaCount replicas() const;  // throws Error for what is not a number of them

  NewRunOffer offer_;
  std::optional<protocol::RunSpec> cloned_;  // what the fields do not say is taken from it
  QComboBox* what_;
  Segments* when_;
  CheckedForm *choice_, *start_, *about_;
  QLineEdit *name_, *replicas_, *group_, *tags_, *note_;
  QComboBox* device_;
  QSpinBox* devicesOfEach_;
  QCheckBox* oversubscribe_;
  QueueForm* queue_;
  ProgramForm* program_;
  ParameterForm* parameters_ = nullptr;
  QVBoxLayout* column_;
};

}  // namespace batchscope::desktop
