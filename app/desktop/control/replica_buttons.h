// SPDX-License-Identifier: GPL-3.0-or-later
//
// The replica counts to choose from, as one segmented control: powers of two up to the number of devices,
// that number, and a step beyond. Counts above the free devices are dimmed. The present count is tinted, the
// chosen one filled.
#pragma once

#include <QWidget>
#include <functional>
#include <vector>

class QButtonGroup;
class QHBoxLayout;

namespace batchscope::desktop {

// Returns the choices for so many devices (cores or GPUs), and the count that is running.
std::vector<int> replicaChoices(int devices, int present);

class ReplicaButtons : public QWidget {
  Q_OBJECT
 public:
  explicit ReplicaButtons(QWidget* parent = nullptr);

  // Devices that the run may use, and how many of these no other run has.
  struct Devices {
    int all = 1;
    int free = 1;
    bool areGpus = false;
    bool operator==(const Devices&) const = default;
  };
  void setDevices(const Devices& devices);
  void setPresent(int replicas);
  // Sets the function that gives the prediction for a count, for its hint; may be empty.
  void setPrediction(std::function<QString(int)> of);
  // A count that is not among the choices becomes one.
  void setChosen(int replicas);
  // Chooses as a person does: also emits the signal.
  void choose(int replicas);
  int chosen() const { return chosen_; }
  // Moves the choice to the neighbouring count.
  void step(int offset);

 Q_SIGNALS:
  void chosenChanged(int replicas);

 private:
  void rebuild();
  QString hint(int replicas) const;
  QString sharing(int replicas) const;

  Devices devices_;
  int present_ = 0;
  int chosen_ = 0;
  std::vector<int> choices_;
  std::function<QString(int)> prediction_;
  QHBoxLayout* row_;
  QButtonGroup* group_;
};

}  // namespace batchscope::desktop
