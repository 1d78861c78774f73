// SPDX-License-Identifier: GPL-3.0-or-later
//
// Starting a run from a recipe: which one, on how many replicas, with which parameters. What is typed is
// checked as it is typed.
#pragma once

#include <QDialog>
#include <map>
#include <string>
#include <vector>

#include "batchscope/run/recipe.h"

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace batchscope::desktop {

class RecipeDialog : public QDialog {
  Q_OBJECT
 public:
  RecipeDialog(std::vector<run::Recipe> recipes, QWidget* parent = nullptr);

  // Throws Error as Recipe::spec does.
  protocol::RunSpec spec() const;
  // The command line that does the same.
  QString command() const;

 private:
  void showRecipe(int row);
  QWidget* editor(const run::Parameter& parameter);
  void validate();

  std::vector<run::Recipe> recipes_;
  std::map<std::string, std::string> values_;
  QComboBox* recipe_;
  QLabel* description_;
  QSpinBox* replicas_;
  QWidget* form_ = nullptr;
  QLabel* complaint_;
  QLineEdit* command_;
  QPushButton* start_;
};

}  // namespace batchscope::desktop
