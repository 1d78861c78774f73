// SPDX-License-Identifier: GPL-3.0-or-later
//
// The fields of a run (storage/run_field.h) as a table shows them: the column's title, the text of a cell in
// the unit of the field, and its alignment.
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "batchscope/storage/run_field.h"

namespace batchscope::desktop {

QString fieldTitle(const std::string& field);
// Empty where the run has no such value.
QString fieldText(const storage::Run& run, const std::string& field, double now);
// Numbers stand at the right.
bool isNumeric(const std::string& field, const storage::FieldValue& value);

// Returns the columns that a table of runs shows unless a person chose otherwise.
const std::vector<std::string>& usualFields();

}  // namespace batchscope::desktop
