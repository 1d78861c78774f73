// SPDX-License-Identifier: Apache-2.0
//
// JSON on standard output.
#pragma once

#include <string>

#include "batchscope/protocol/json.h"

namespace batchscope::cli {

// Returns the JSON as a line, with its newline; bytes that are not UTF-8 are replaced.
std::string jsonLine(const protocol::Json& json);

// Prints the JSON as a line on standard output, and flushes it.
void printJson(const protocol::Json& json);

// Prints what a command has done: the object where --json asks for it, else the sentence, as one line.
// Returns kExitOk.
int answer(bool json, const protocol::Json& object, const std::string& sentence);

}  // namespace batchscope::cli
