// SPDX-License-Identifier: GPL-3.0-or-later
//
// The list of runs at the left: a search field, and the runs in the sections Active and Earlier.
#pragma once

#include <QFrame>
#include <string>
#include <vector>

#include "batchscope/protocol/control.h"
#include "batchscope/storage/catalogue.h"

class QLineEdit;
class QListView;

namespace batchscope::desktop {

class RunFilterModel;
class RunListModel;

class RunListPanel : public QFrame {
  Q_OBJECT
 public:
  explicit RunListPanel(QWidget* parent = nullptr);

  void setRuns(const std::vector<storage::Run>& runs);
  void setStatus(const protocol::RunStatus& status);
  void select(const std::string& id);
  void focusSearch();
  void selectNeighbour(int offset);

 Q_SIGNALS:
  void runSelected(const QString& id);

 private:
  QLineEdit* search_;
  QListView* list_;
  RunListModel* model_;
  RunFilterModel* filter_;
};

}  // namespace batchscope::desktop
