// SPDX-License-Identifier: Apache-2.0
/// \file
/// The application object of a process that may supervise a run. Qt's event loop has no place for exceptions:
/// one that leaves a slot, a timer or a socket's notifier ends the process, or leaves the loop dead. Here
/// every event passes one place, which catches them.
#pragma once

#include <QCoreApplication>
#include <exception>
#include <functional>

namespace batchscope::run {

/// A QCoreApplication whose one handler of exceptions is set while there is somebody to handle them.
class Application : public QCoreApplication {
 public:
  using QCoreApplication::QCoreApplication;

  /// Gets what a handler of events threw; called from the event loop, which then goes on. Where it is empty,
  /// exceptions go on as in any QCoreApplication. What it throws itself does too.
  std::function<void(const std::exception& exception)> on_exception;

  /// Qt's own way to every receiver of every event.
  bool notify(QObject* receiver, QEvent* event) override;
};

}  // namespace batchscope::run
