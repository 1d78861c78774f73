// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/application.h"

namespace batchscope::run {

bool Application::notify(QObject* receiver, QEvent* event) {
  try {
    return QCoreApplication::notify(receiver, event);
  } catch (const std::exception& exception) {
    if (!on_exception) throw;
    on_exception(exception);
    return true;
  }
}

}  // namespace batchscope::run
