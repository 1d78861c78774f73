// SPDX-License-Identifier: Apache-2.0
//
// What a program that failed said last, in one line: of a Python traceback the line of the exception, of
// C++'s terminate() the type and what() of the exception, else the last line that says anything.
#pragma once

#include <string>
#include <string_view>

namespace batchscope::run {

// Of the end of a log. At most some hundred bytes; empty where there is nothing in it.
std::string last_words(std::string_view log);

}  // namespace batchscope::run
