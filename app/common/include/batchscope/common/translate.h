// SPDX-License-Identifier: Apache-2.0
/// \file
/// The language of the interface. Texts stand in the code in English, and Qt's translators (lupdate, .qm
/// files) know them by the context "batchscope".
#pragma once

#include <QCoreApplication>
#include <QString>

namespace batchscope {

/// Returns the text in the language of the interface; %n in it becomes `n`. For functions that belong to no
/// QObject, which has a tr() of its own.
inline QString tr(const char* text, int n = -1) {
  return QCoreApplication::translate("batchscope", text, nullptr, n);
}

}  // namespace batchscope
