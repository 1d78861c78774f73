// SPDX-License-Identifier: Apache-2.0
/// \file
/// The beginning of a sentence.
#pragma once

#include <QString>

namespace batchscope::common {

/// Returns the text with a capital as its first letter.
inline QString capital(QString text) {
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

}  // namespace batchscope::common
