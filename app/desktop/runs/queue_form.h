// SPDX-License-Identifier: GPL-3.0-or-later
//
// The options of a run in the queue of the pool: its priority, the run for which it waits, whether it is
// held, and whether it keeps the devices that it gets.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/pool/queue.h"
#include "runs/checked_form.h"

class QCheckBox;
class QComboBox;
class QLineEdit;

namespace batchscope::desktop {

class QueueForm : public CheckedForm {
  Q_OBJECT
 public:
  // `runs`: ids and names of those that it may go behind.
  explicit QueueForm(const std::vector<std::pair<std::string, std::string>>& runs, QWidget* parent = nullptr);

  // Returns the options as far as what is typed makes sense.
  pool::JobOptions options() const;

 Q_SIGNALS:
  void edited();

 private:
  std::optional<int> priority() const;

  QLineEdit* priority_;
  QComboBox* after_;
  QCheckBox *hold_, *pin_;
};

}  // namespace batchscope::desktop
