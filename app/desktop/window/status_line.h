// SPDX-License-Identifier: GPL-3.0-or-later
//
// The status bar: the machine, what the store takes on disk, whether the run is recorded, and for a quarter
// of a minute the newest message.
#pragma once

#include <QStatusBar>
#include <QTimer>
#include <filesystem>

class QLabel;

namespace batchscope::desktop {

class StatusLine : public QStatusBar {
  Q_OBJECT
 public:
  explicit StatusLine(const std::filesystem::path& catalogue, QWidget* parent = nullptr);

  void say(const QString& message);
  void setRecording(bool isRecording);

 private:
  QLabel* recording_;
  QLabel* message_;
  QTimer storeTimer_, messageTimer_;
};

}  // namespace batchscope::desktop
