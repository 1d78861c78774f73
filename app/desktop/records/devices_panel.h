// SPDX-License-Identifier: GPL-3.0-or-later
//
// The use of the machine by each replica, a line a replica, with the zoom and the cross-hair of the other
// charts: cores, memory, and its GPU where there is one (protocol/device_series.h). Read only once it is
// looked at.
#pragma once

#include <QWidget>
#include <vector>

#include "chart/chart_card.h"

class QHBoxLayout;

namespace batchscope::desktop {

class RunSession;
class ViewState;

class DevicesPanel : public QWidget {
  Q_OBJECT
 public:
  DevicesPanel(RunSession* session, ViewState* state, QWidget* parent = nullptr);

  const std::vector<ChartCard*>& cards() const { return cards_; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void opened();
  void refresh();
  int replicas() const;  // the most that the run has had
  void build(int replicas);

  RunSession* session_;
  ViewState* state_;
  QHBoxLayout* row_;
  std::vector<ChartCard*> cards_;
  int replicas_ = 0;  // that have a line
};

}  // namespace batchscope::desktop
