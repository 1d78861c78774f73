// SPDX-License-Identifier: GPL-3.0-or-later
//
// The output of the replicas: one log file at a time, runs/<id>/logs/g<generation>-r<rank>.log, tailed while
// it is looked at. It goes along to the newest generation as long as the person has not chosen an older one.
// A line that is chosen moves the cross-hair to the time it was written, give or take the second in which
// logs are noted, and the cross-hair, or the head of a replay, marks the line of its time. Of a run that
// failed it is the log of the replica that failed first, where it says why.
#pragma once

#include <QTimer>
#include <QWidget>
#include <deque>
#include <vector>

#include "batchscope/protocol/paths.h"

class QComboBox;
class QPlainTextEdit;

namespace batchscope::desktop {

class RunSession;
class ViewState;

class LogPanel : public QWidget {
  Q_OBJECT
 public:
  LogPanel(RunSession* session, ViewState* state, QWidget* parent = nullptr);

 Q_SIGNALS:
  void failureFound();  // the run has failed, and there is a log that may say why

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void opened();
  void lookForFailure();
  void showFailure();
  void updateFiles();
  void openFile();
  void tail();
  void append(const QByteArray& lines);
  void clear();
  void mark(int row);
  void scrollTo(int row, int above);  // with so many lines above it
  void moveCursor();                  // to the chosen line
  void markCursor();                  // the line of the cross-hair

  struct LogFile : protocol::LogName {
    QString path;
  };
  static std::vector<LogFile> logFiles(const QString& directory);
  LogFile shown() const;
  bool isOfNewest(const LogFile& file) const { return file.generation == files_.front().generation; }

  RunSession* session_;
  ViewState* state_;
  std::vector<LogFile> files_;  // as the box lists them
  QComboBox* box_;
  QPlainTextEdit* text_;
  QTimer timer_, markTimer_;
  std::deque<qint64> lines_;  // where those that are shown begin in the file
  QString path_;
  qint64 read_ = 0;
  bool followsNewest_ = true;
  enum class Failure { None, Found, Shown } failure_ = Failure::None;
};

}  // namespace batchscope::desktop
