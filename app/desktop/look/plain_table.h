// SPDX-License-Identifier: GPL-3.0-or-later
//
// A quiet table as all docks use it: no grid, rows selected whole, the last column takes the rest, a tool tip
// with the whole of what is cut off, and a sentence where there is nothing to show.
#pragma once

#include <QTableView>

namespace batchscope::desktop {

class PlainTable : public QTableView {
  Q_OBJECT
 public:
  PlainTable(const QString& emptyText, QWidget* parent = nullptr);
  void hideHeader();
  void setEmptyText(const QString& text);

 protected:
  bool viewportEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  QString emptyText_;
};

}  // namespace batchscope::desktop
