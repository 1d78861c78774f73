// SPDX-License-Identifier: GPL-3.0-or-later
//
// How a run waits in the queue of the pool: within which numbers of replicas the pool may choose, and, folded
// away, before and behind whom it goes, whether it is held, and whether it keeps the devices that it gets.
#pragma once

#include <QWidget>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/pool/queue.h"

class QCheckBox;
class QComboBox;
class QSpinBox;

namespace batchscope::desktop {

// What of this machine and its queue the form offers.
struct QueueOffer {
  int devices = 1;                                             // that a run may have
  std::vector<std::pair<std::string, std::string>> runs = {};  // that it may go behind: ids and names
};

class QueueForm : public QWidget {
  Q_OBJECT
 public:
  explicit QueueForm(const QueueOffer& offer, QWidget* parent = nullptr);

  pool::JobOptions options() const;
  // Writes the numbers of replicas into it.
  void apply(protocol::RunSpec& spec) const;
  // As `batchscope submit` takes it: "--replicas 1-4 --priority 2".
  std::vector<std::string> words() const;

 Q_SIGNALS:
  void changed();

 private:
  QSpinBox *fewest_, *most_, *priority_;
  QComboBox* after_;
  QCheckBox *hold_, *pin_;
};

}  // namespace batchscope::desktop
