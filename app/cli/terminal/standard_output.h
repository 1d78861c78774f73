// SPDX-License-Identifier: Apache-2.0
//
// Standard output, of which nothing is lost in silence. Commands write to it as they like ({fmt}, show); what
// it did not take, because the disk is full, is an error of the command, found by flushOutput at its end or
// between the parts of what has no end. A reader that has gone (`| head`) is not an error: the program dies
// of SIGPIPE, as programs do.
#pragma once

#include <string_view>

namespace batchscope::cli {

// Call it first in main: what is opened later must not get the number of a standard stream that was closed,
// and with it what is meant for that. Writing to the stream is then an error.
void keepStandardStreams();

// Prints at once. Never throws: a run is followed to its end also where nobody can be told about it. What
// goes wrong is remembered for flushOutput.
void show(std::string_view text) noexcept;

// Throws Error(io) where standard output has not taken all that was ever written to it, Interrupted where its
// reader has gone.
void flushOutput();

// Throws what flushOutput does, for an `errno` that somebody else has met with in writing.
[[noreturn]] void refuseOutput(int fault);

}  // namespace batchscope::cli
