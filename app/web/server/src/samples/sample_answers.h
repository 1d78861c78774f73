// SPDX-License-Identifier: Apache-2.0
//
// Series of a run in buckets for the columns that are drawn: of each generation as many as its share of the
// range, each with the least and the greatest of its samples, so that no peak is lost.
#pragma once

#include <cstddef>
#include <string>

#include "batchscope/http/request.h"
#include "batchscope/protocol/json.h"
#include "store/store.h"

namespace batchscope::web {

// Most of one answer.
inline constexpr long kMostColumns = 4000;
inline constexpr std::size_t kMostSeries = 64;

// Answers as API.md has it. Throws Error.
protocol::Json samples_json(Store& store, const std::string& id, const http::Request& request);

}  // namespace batchscope::web
