// SPDX-License-Identifier: GPL-3.0-or-later
//
// The field in which runs are searched: words or a typed filter (RunQuery). While the text is not yet a
// filter, the last valid one stays, and the fault and an example stand below the field. Names of fields are
// completed.
#pragma once

#include <QWidget>

#include "runs/run_filter_model.h"

class QCompleter;
class QLabel;
class QLineEdit;
class QStringListModel;

namespace batchscope::desktop {

class RunModel;

class RunSearch : public QWidget {
  Q_OBJECT
 public:
  explicit RunSearch(RunModel* runs, QWidget* parent = nullptr);

  void focus();
  void clear();
  const RunQuery& query() const { return query_; }

 Q_SIGNALS:
  void queryChanged();
  void accepted();  // Return: on to the runs

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void read();
  void complain(const storage::FilterError& error);
  void suggest();
  void complete(const QString& name);
  int wordStart() const;

  RunModel* runs_;
  QLineEdit* field_;
  QLabel* complaint_;
  QStringListModel* names_;
  QCompleter* completer_;
  RunQuery query_;
};

}  // namespace batchscope::desktop
