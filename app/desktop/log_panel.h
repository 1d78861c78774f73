// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the replicas print: one log file at a time, runs/<id>/logs/g<generation>-r<rank>.log, tailed while it
// is looked at. It goes along to the newest generation as long as the person has not chosen an older one.
#pragma once

#include <QTimer>
#include <QWidget>

class QComboBox;
class QPlainTextEdit;

namespace batchscope::desktop {

class RunSession;

class LogPanel : public QWidget {
  Q_OBJECT
 public:
  LogPanel(RunSession* session, QWidget* parent = nullptr);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void opened();
  void updateFiles();
  void openFile();
  void tail();

  RunSession* session_;
  QComboBox* files_;
  QPlainTextEdit* text_;
  QTimer timer_;
  QString path_;
  qint64 read_ = 0;
  bool followsNewest_ = true;
};

}  // namespace batchscope::desktop
