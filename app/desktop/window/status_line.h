// SPDX-License-Identifier: GPL-3.0-or-later
//
// The status bar: the machine, the store's size on disk, and whether the run is recorded.
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

  void setRecording(bool isRecording);

 private:
  QLabel* recording_;
  QTimer storeTimer_;
};

}  // namespace batchscope::desktop
