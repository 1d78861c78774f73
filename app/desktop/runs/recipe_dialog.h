// SPDX-License-Identifier: GPL-3.0-or-later
//
// Starting a run from a recipe, now or by the queue of the pool: which one, on how many replicas, with which
// parameters. What is typed is checked as it is typed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "batchscope/run/recipe.h"
#include "runs/queue_form.h"
#include "runs/start_dialog.h"

class QComboBox;
class QScrollArea;

namespace batchscope::desktop {

class Segments;

class RecipeDialog : public StartDialog {
  Q_OBJECT
 public:
  explicit RecipeDialog(std::vector<run::Recipe> recipes, const QueueOffer& offer = {},
                        QWidget* parent = nullptr);

  // Into the queue, or now.
  void setQueued(bool isQueued);
  bool isQueued() const;
  pool::JobOptions jobOptions() const { return queue_->options(); }

  // Throws Error as Recipe::spec does.
  protocol::RunSpec spec() const;
  // The command line that does the same.
  QString command() const;

 private:
  void showRecipe();
  QWidget* editor(const run::Parameter& parameter, QWidget* form);
  const run::Recipe& recipe() const;
  void validate();

  std::vector<run::Recipe> recipes_;
  std::map<std::string, std::string> values_;
  QComboBox* recipe_;
  QLabel* description_;
  Segments* when_;
  QueueForm* queue_;
  QScrollArea* parameters_;
};

}  // namespace batchscope::desktop
