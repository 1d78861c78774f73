// SPDX-License-Identifier: GPL-3.0-or-later
//
// The values under the cross-hair, or the newest ones while nothing is pointed at.
#pragma once

#include <QWidget>
#include <vector>

#include "batchscope/common/readout.h"

class QLabel;

namespace batchscope::desktop {

class RunSession;
class ViewState;

class Readout : public QWidget {
  Q_OBJECT
 public:
  Readout(RunSession* session, ViewState* state, QWidget* parent = nullptr);

  void refresh();

 private:
  RunSession* session_;
  ViewState* state_;
  const std::vector<common::ReadoutRow> rows_ = common::readoutRows();
  QLabel* title_;
  std::vector<QLabel*> values_;
};

}  // namespace batchscope::desktop
