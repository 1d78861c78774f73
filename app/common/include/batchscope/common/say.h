// SPDX-License-Identifier: Apache-2.0
/// \file
/// Texts with places for values, in the language of the interface (batchscope/common/language.h), where
/// strings are not Qt's.
#pragma once

#include <fmt/format.h>

#include <QCoreApplication>
#include <string>

namespace batchscope::common {

/// Returns the text in the language of the interface, with the arguments in the places of its {}, as
/// fmt::format puts them: say("{} of {} runs", 2, 3). A brace is written twice.
template <class... Arguments>
std::string say(fmt::format_string<Arguments...> english, Arguments&&... arguments) {
  const auto text = static_cast<fmt::string_view>(english);
  const QByteArray said = QCoreApplication::translate("batchscope", text.data()).toUtf8();
  const auto values = fmt::make_format_args(arguments...);
  try {
    return fmt::vformat(said.constData(), values);
  } catch (const fmt::format_error&) {  // a translation that lacks a place
    return fmt::vformat(text, values);
  }
}

}  // namespace batchscope::common
