// SPDX-License-Identifier: Apache-2.0
//
// The words of the terminal, in the language of the interface (batchscope/common/language.h).
#pragma once

#include <QCoreApplication>
#include <string>

#include "batchscope/common/say.h"

namespace batchscope::cli {

using common::say;

// Marks a word that JSON has in English and that people read translated: translated(word("memory")).
constexpr const char* word(const char* english) { return english; }

// Returns such a word in the language of the interface.
inline std::string translated(const std::string& english) {
  return QCoreApplication::translate("batchscope", english.c_str()).toStdString();
}

}  // namespace batchscope::cli
