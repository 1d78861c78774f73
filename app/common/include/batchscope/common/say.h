// SPDX-License-Identifier: Apache-2.0
/// \file
/// Texts with places for values, in the language of the interface (batchscope/common/language.h), where
/// strings are not Qt's.
#pragma once

#include <fmt/format.h>

#include <QCoreApplication>
#include <string>

namespace batchscope::common {

/// Returns a translation with the values in its places, or the English text with them where the translation
/// has places of which the English one knows nothing.
inline std::string filled(const std::string& translation, fmt::string_view english, fmt::format_args values) {
  try {
    return fmt::vformat(translation, values);
  } catch (const fmt::format_error&) {
    return fmt::vformat(english, values);
  }
}

/// Returns the text in the language of the interface, with the arguments in the places of its {}, as
/// fmt::format puts them: say("{} of {} runs", 2, 3). A brace is written twice.
template <class... Arguments>
std::string say(fmt::format_string<Arguments...> english, Arguments&&... arguments) {
  const auto text = static_cast<fmt::string_view>(english);
  return filled(QCoreApplication::translate("batchscope", text.data()).toStdString(), text,
                fmt::make_format_args(arguments...));
}

}  // namespace batchscope::common
