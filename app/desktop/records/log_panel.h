// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the replicas print: one log file at a time, runs/<id>/logs/g<generation>-r<rank>.log, tailed while it
// is looked at. It goes along to the newest generation as long as the person has not chosen an older one. A
// line that is chosen moves the cross-hair to the time it was written, give or take the second in which logs
// are noted, and the cross-hair marks the line of its time.
#pragma once

#include <QTimer>
#include <QWidget>
#include <deque>

class QComboBox;
class QPlainTextEdit;

namespace batchscope::desktop {

class RunSession;
class ViewState;

class LogPanel : public QWidget {
  Q_OBJECT
 public:
  LogPanel(RunSession* session, ViewState* state, QWidget* parent = nullptr);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void opened();
  void updateFiles();
  void openFile();
  void tail();
  void append(const QByteArray& lines);
  void clear();
  void mark(int row);
  int generation() const;  // of the file that is shown
  void moveCursor();       // to the chosen line
  void markCursor();       // the line of the cross-hair

  RunSession* session_;
  ViewState* state_;
  QComboBox* files_;
  QPlainTextEdit* text_;
  QTimer timer_, markTimer_;
  std::deque<qint64> lines_;  // where those that are shown begin in the file
  QString path_;
  qint64 read_ = 0;
  bool followsNewest_ = true;
};

}  // namespace batchscope::desktop
