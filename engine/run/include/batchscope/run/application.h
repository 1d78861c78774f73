// SPDX-License-Identifier: Apache-2.0
/// \file
/// The application object of a process that may supervise a run. Qt's event loop has no place for exceptions:
/// an exception that leaves a slot, a timer or a socket's notifier ends the process, or stops the loop. Here
/// every event passes one place, which catches exceptions.
#pragma once

#include <QCoreApplication>
#include <exception>
#include <functional>

namespace batchscope::run {

/// A QCoreApplication with one handler of exceptions, which is set while somebody handles them.
class Application : public QCoreApplication {
 public:
  using QCoreApplication::QCoreApplication;

  /// Gets an exception that a handler of events threw; called from the event loop, which then goes on. Where
  /// it is empty, exceptions propagate as in any QCoreApplication, and so does what it throws itself.
  std::function<void(const std::exception& exception)> on_exception;

  /// Overrides Qt's own function, through which every event goes.
  bool notify(QObject* receiver, QEvent* event) override;
};

}  // namespace batchscope::run
