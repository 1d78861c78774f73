// SPDX-License-Identifier: GPL-3.0-or-later
//
// Texts of functions that belong to no QObject, which would have a tr() of its own.
#pragma once

#include <QCoreApplication>
#include <QString>

namespace batchscope::desktop {

// Returns the text in the language of the window; %n in it becomes `n`.
inline QString tr(const char* text, int n = -1) {
  return QCoreApplication::translate("batchscope", text, nullptr, n);
}

}  // namespace batchscope::desktop
