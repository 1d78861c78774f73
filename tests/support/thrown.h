// SPDX-License-Identifier: Apache-2.0
//
// Checks of what calls throw, so that one that fails shows what was seen.
#pragma once

#include <QTest>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "batchscope/protocol/error.h"

namespace batchscope::testing {

// The Error that the call throws; none where it throws none.
inline std::optional<Error> error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

// "usage": the kind of that error.
inline std::string kind_of(const std::function<void()>& call) {
  const auto error = error_of(call);
  return error ? error_kind_name(error->kind()) : "nothing was thrown";
}

// "usage: 'x' is not a number": the kind and the message of that error.
inline std::string thrown_by(const std::function<void()>& call) {
  const auto error = error_of(call);
  return error ? std::string(error_kind_name(error->kind())) + ": " + error->what() : "nothing was thrown";
}

inline bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
inline bool holds(const char* text, const std::string& part) { return holds(std::string(text), part); }
inline bool holds(const QString& text, const QString& part) { return text.contains(part); }

// The type of the parts of such a text.
template <class Text>
using Part = std::conditional_t<std::is_same_v<Text, QString>, QString, std::string>;

inline QByteArray shown(const std::string& text) { return text.c_str(); }
inline QByteArray shown(const char* text) { return text; }
inline QByteArray shown(const QString& text) { return text.toLocal8Bit(); }

}  // namespace batchscope::testing

// Verifies, as QVERIFY, that the text holds each of the parts: with the text where it does not.
#define VERIFY_HOLDS(text, ...)                                                              \
  do {                                                                                       \
    const auto text_ = (text);                                                               \
    for (const auto& part_ :                                                                 \
         std::vector<batchscope::testing::Part<std::decay_t<decltype(text_)>>>{__VA_ARGS__}) \
      QVERIFY2(batchscope::testing::holds(text_, part_), batchscope::testing::shown(text_)); \
  } while (false)

// Verifies, as QVERIFY, that the expression throws an Error of this kind, and that its message holds the
// part.
#define VERIFY_THROWS(kind, part, ...)                                                                      \
  do {                                                                                                      \
    const std::string thrown_ = batchscope::testing::thrown_by([&] { __VA_ARGS__; });                       \
    QVERIFY2(thrown_.starts_with(kind ": ") && batchscope::testing::holds(thrown_, part), thrown_.c_str()); \
  } while (false)
