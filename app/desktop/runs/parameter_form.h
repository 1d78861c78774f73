// SPDX-License-Identifier: GPL-3.0-or-later
//
// The parameters of a recipe as fields, checked as they are typed, each alone and against the others.
#pragma once

#include "batchscope/run/recipe.h"
#include "runs/checked_form.h"

namespace batchscope::desktop {

class ParameterForm : public CheckedForm {
  Q_OBJECT
 public:
  using Values = run::Recipe::Values;

  // `values`: what the fields show first; the defaults where it says nothing.
  explicit ParameterForm(run::Recipe recipe, const Values& values = {}, QWidget* parent = nullptr);

  const run::Recipe& recipe() const { return recipe_; }
  // Returns the values of all parameters.
  const Values& values() const { return values_; }
  // Returns the values that are not as the recipe has them.
  Values changed() const;

 Q_SIGNALS:
  void edited();

 private:
  QWidget* editor(const run::Parameter& parameter);
  void check();

  run::Recipe recipe_;
  Values values_;
  std::map<std::string, QWidget*> fields_;
};

}  // namespace batchscope::desktop
