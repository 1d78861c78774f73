// SPDX-License-Identifier: GPL-3.0-or-later
//
// Any program of a person's own: an executable or a script, its arguments, and the folder in which it runs.
#pragma once

#include "batchscope/protocol/run_spec.h"
#include "runs/checked_form.h"

class QLineEdit;

namespace batchscope::desktop {

class ProgramForm : public CheckedForm {
  Q_OBJECT
 public:
  explicit ProgramForm(QWidget* parent = nullptr);

  // Shows the program of this spec.
  void take(const protocol::RunSpec& spec);
  // Writes program, arguments and folder into it. A script of Python that is not executable is given to
  // python3.
  void apply(protocol::RunSpec& spec) const;
  QString name() const;  // of the program or the script, for the run

 Q_SIGNALS:
  void edited();

 private:
  QWidget* withBrowse(QLineEdit* field, bool isFolder);
  void check();

  QLineEdit *program_, *arguments_, *folder_;
};

}  // namespace batchscope::desktop
