// SPDX-License-Identifier: GPL-3.0-or-later
//
// The reasons for the present split of the devices: the list of the pool's decisions, and the selected
// decision with its reasons and alternatives. The newest is selected until a person selects another.
#pragma once

#include <QWidget>

#include "queue/decision_model.h"

class QLabel;

namespace batchscope::desktop {

class PlainTable;

class DecisionsPanel : public QWidget {
  Q_OBJECT
 public:
  explicit DecisionsPanel(NameOfRun nameOf, QWidget* parent = nullptr);

  void setDecisions(const std::vector<protocol::PoolDecision>& decisions);

 private:
  void showCurrent();

  DecisionModel* decisions_;
  ChoiceModel* choices_;
  PlainTable* list_;
  PlainTable* table_;
  QLabel* title_;
  QLabel* idle_;
};

}  // namespace batchscope::desktop
