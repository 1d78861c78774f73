// SPDX-License-Identifier: Apache-2.0
//
// The end of a log, for an event or an error that says why a process ended.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace batchscope::run {

// Returns at most so many lines, without the trailing newline, as valid UTF-8; empty where there is no log.
std::string log_tail(const std::filesystem::path& file, int lines);

// Returns the last words of a program that failed, in one line: of a Python traceback the line of the
// exception, of C++'s terminate() the type and what() of the exception, else the last line that says
// anything. `log`: its end. At most some hundred bytes; empty where there is nothing in it.
std::string last_words(std::string_view log);

// The same, where it is an exception of Python that nobody caught; else empty.
std::string python_exception(std::string_view log);

}  // namespace batchscope::run
