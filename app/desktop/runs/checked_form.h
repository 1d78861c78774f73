// SPDX-License-Identifier: GPL-3.0-or-later
//
// A form that says at each field what it takes, and what is wrong with the present text. A field keeps what
// is typed, right or wrong. The wheel scrolls past fields and changes none.
#pragma once

#include <QWidget>
#include <functional>
#include <vector>

class QFormLayout;
class QLabel;

namespace batchscope::desktop {

// Returns the message of the Error that `check` throws; empty where it throws none.
QString complaintOf(const std::function<void()>& check);

class CheckedForm : public QWidget {
  Q_OBJECT
 public:
  explicit CheckedForm(QWidget* parent = nullptr);

  // `hint`: what may be there, below the field.
  void add(const QString& label, QWidget* field, const QString& hint = {});
  // The same for one of several widgets that stand side by side: `row` holds the field.
  void add(const QString& label, QWidget* field, QWidget* row, const QString& hint = {});
  void setRowVisible(const QWidget* field, bool isVisible);

  void setHint(const QWidget* field, const QString& hint);
  // Shows what is wrong with a field, in place of its hint; empty: nothing is.
  void setComplaint(const QWidget* field, const QString& complaint);
  // Shows what may go wrong with a field that is not at fault.
  void setWarning(const QWidget* field, const QString& warning);

  // The keyboard goes through the rows from above, once it has left `before`. Returns the last widget.
  QWidget* tabAfter(QWidget* before) const;

  // "Label: what is wrong" of each row that is seen, from above.
  QStringList complaints() const;

 private:
  struct Row {
    QString label, hint, complaint;
    QWidget* field;
    QWidget* below;  // the row's last line
    QLabel* line;
    bool isVisible = true;
  };
  Row& rowOf(const QWidget* field);
  void show(Row& row, const QString& text, const char* tone);

  QFormLayout* layout_;
  std::vector<Row> rows_;
};

}  // namespace batchscope::desktop
