// SPDX-License-Identifier: Apache-2.0
/// \file
/// How numbers and texts stand in files for other programs. A number is written so that it reads back bit for
/// bit; what is not finite is nan, inf or -inf, in CSV as it is and in JSON as a text (protocol/json.h).
/// Where there is no value at all, a cell of CSV is empty and JSON has null.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "batchscope/protocol/json.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// A cell of a CSV file, in quotes where it needs them (RFC 4180).
std::string csvCell(std::string_view text);
std::string csvCell(std::optional<double> value);  ///< a number's cell

protocol::Json jsonNumber(std::optional<double> value);  ///< a number's JSON

/// The usual name of a file with something of this run, "digits-3f9a12bc.csv" with the ending ".csv": letters
/// and digits of ASCII, '-', '_' and '.', which it does not begin with.
std::string exportName(const storage::Run& run, const std::string& ending);

}  // namespace batchscope::common
