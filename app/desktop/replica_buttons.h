// SPDX-License-Identifier: GPL-3.0-or-later
//
// The replica counts one may choose from, as one segmented control: powers of two up to what the machine has,
// all of it, and a step beyond. The present count is tinted, the chosen one filled.
#pragma once

#include <QWidget>
#include <vector>

class QButtonGroup;
class QHBoxLayout;

namespace batchscope::desktop {

// For so many devices (cores or GPUs), and the count that is running.
std::vector<int> replicaChoices(int devices, int present);

class ReplicaButtons : public QWidget {
  Q_OBJECT
 public:
  explicit ReplicaButtons(int devices, QWidget* parent = nullptr);

  void setPresent(int replicas);
  void setChosen(int replicas);
  int chosen() const { return chosen_; }
  // Moves the choice to the neighbouring count.
  void step(int offset);

 Q_SIGNALS:
  void chosenChanged(int replicas);

 private:
  void rebuild();

  int devices_;
  int present_ = 0;
  int chosen_ = 0;
  std::vector<int> choices_;
  QHBoxLayout* row_;
  QButtonGroup* group_;
};

}  // namespace batchscope::desktop
