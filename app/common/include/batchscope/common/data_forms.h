// SPDX-License-Identifier: Apache-2.0
/// \file
/// Numbers and texts in files for other programs. A number reads back bit for bit. One that is not finite is
/// nan, inf or -inf, in JSON as a text (protocol/json.h). A missing value is an empty cell in CSV and null in
/// JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "batchscope/protocol/json.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// Returns a cell of a CSV file, in quotes where it needs them (RFC 4180).
std::string csvCell(std::string_view text);
std::string csvCell(std::optional<double> value);  ///< the cell of a number

protocol::Json jsonNumber(std::optional<double> value);  ///< the JSON of a number

/// Returns the usual name of a file about this run, such as "digits-3f9a12bc.csv" with the ending ".csv":
/// letters and digits of ASCII, '-', '_' and '.', but no '.' at the beginning.
std::string exportName(const storage::Run& run, const std::string& ending);
/// Returns the same for a thing of this name: "rates-trials.csv" of "rates" and "-trials.csv".
std::string exportName(std::string name, const std::string& ending);

}  // namespace batchscope::common
