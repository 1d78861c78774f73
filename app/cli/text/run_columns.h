// SPDX-License-Identifier: Apache-2.0
//
// Fields of runs (storage/run_field.h) as columns of a table, each written as its type wants it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "batchscope/common/trial_fold.h"
#include "batchscope/protocol/json.h"
#include "batchscope/storage/run_field.h"
#include "text/table.h"

namespace batchscope::cli {

// Throws Error(usage) for a name that is not a field of any run, with the nearest one suggested.
void checkFields(const std::vector<std::string>& fields, const std::vector<std::string>& known);

// A column for each field, headed by its name; below a run what `notes` has of it by its id, and below a
// sweep how its trials stand. `states` has what stands in the place of a run's state, by its id.
Table runTable(const std::vector<common::RunRow>& rows, const std::vector<std::string>& fields,
               const std::map<std::string, std::string>& notes = {},
               const std::map<std::string, std::string>& states = {});

// {"id":..,"accuracy":0.97}; null where a run has no value.
protocol::Json fieldsJson(const storage::Run& run, const std::vector<std::string>& fields);

// Stable. A row without a value, or with NaN, comes last in either direction.
void sortRows(std::vector<common::RunRow>& rows, const std::string& field, bool descending);

}  // namespace batchscope::cli
