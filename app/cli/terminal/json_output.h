// SPDX-License-Identifier: Apache-2.0
//
// JSON on standard output.
#pragma once

#include <string>

#include "batchscope/protocol/json.h"

namespace batchscope::cli {

// With its newline; bytes that are no UTF-8 are replaced.
std::string jsonLine(const protocol::Json& json);

// One line on standard output, flushed.
void printJson(const protocol::Json& json);

// What a command has done: the object where --json asks for it, else the sentence, as one line. Returns
// kExitOk.
int answer(bool json, const protocol::Json& object, const std::string& sentence);

}  // namespace batchscope::cli
