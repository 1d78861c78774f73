// SPDX-License-Identifier: Apache-2.0
//
// The lessons that are compiled in, as a page shows them. Each needs recorded runs, which are known in the
// store by their tags.
#pragma once

#include <map>
#include <string>

#include "batchscope/common/lesson.h"
#include "batchscope/protocol/json.h"
#include "store/store.h"

namespace batchscope::web {

// {"lessons":[..]}, in their order.
protocol::Json lessons_json();

// Throws Error(not_found) where there is none of this name.
const common::Lesson& lesson_called(const std::string& name);

// Returns the ids of the lesson's recorded runs by their names; empty for one that is not in the store yet.
std::map<std::string, std::string> recorded_runs(Store& store, const common::Lesson& lesson);

// The lesson with its pages and `runs`. Its texts have the numbers of these runs; where one is missing, what
// stands for a number is an ellipsis.
protocol::Json lesson_json(Store& store, const std::string& name);

}  // namespace batchscope::web
