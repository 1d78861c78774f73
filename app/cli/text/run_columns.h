// SPDX-License-Identifier: Apache-2.0
//
// Fields of runs (storage/run_field.h) as columns of a table, each in the form of its type.
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

// Returns a table with a column for each field, headed by its name. Below a run comes its note from `notes`,
// by its id; below a sweep the state of its trials. `states` replaces the states of runs, by their ids.
Table runTable(const std::vector<common::RunRow>& rows, const std::vector<std::string>& fields,
               const std::map<std::string, std::string>& notes = {},
               const std::map<std::string, std::string>& states = {});

// Returns {"id":..,"accuracy":0.97}; null for a field without a value.
protocol::Json fieldsJson(const storage::Run& run, const std::vector<std::string>& fields);

// Sorts the rows; stable. A row without a value, or with NaN, comes last in either direction.
void sortRows(std::vector<common::RunRow>& rows, const std::string& field, bool descending);

}  // namespace batchscope::cli
