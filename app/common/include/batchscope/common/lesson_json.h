// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lessons as JSON, for a page that shows them (app/web/server/API.md).
#pragma once

#include <functional>

#include "batchscope/common/lesson.h"
#include "batchscope/protocol/json.h"

namespace batchscope::common {

/// Returns {"name","title","summary","pages":N}, as a list of lessons shows it.
protocol::Json lessonEntryJson(const Lesson& lesson);

/// Returns a text of a lesson with the numbers of the recorded run that is open there, empty: none.
using FilledText = std::function<QString(const QString& text, const QString& run)>;

/// Returns the lesson with its pages. The directives of a page are one object, `stage`; the last of a kind
/// wins. Throws as `filled`.
protocol::Json lessonJson(const Lesson& lesson, const FilledText& filled);

}  // namespace batchscope::common
