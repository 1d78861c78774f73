// SPDX-License-Identifier: GPL-3.0-or-later
//
// One window for each store: a second start hands over what it was asked for and ends, and the window that is
// open comes to the front with it. A local socket in the runtime directory, for this user alone, carries one
// JSON object.
#pragma once

#include <QLocalServer>
#include <QObject>
#include <QStringList>
#include <filesystem>

namespace batchscope::desktop {

// The request of a start to a window.
struct WindowRequest {
  QString run;   // id; empty: as the window chooses
  QString file;  // an exported run to open
  bool demo = false;
  QStringList demoArguments;
};

class SingleInstance : public QObject {
  Q_OBJECT
 public:
  explicit SingleInstance(const std::filesystem::path& catalogue, QObject* parent = nullptr);

  // Returns true where a window is open and has taken the request; waits for it at most two seconds.
  // Otherwise this process takes requests from now on.
  bool handOver(const WindowRequest& request);

 Q_SIGNALS:
  void requested(const WindowRequest& request);

 private:
  void take();

  QString name_;
  QLocalServer server_;
};

}  // namespace batchscope::desktop
