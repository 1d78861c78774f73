// SPDX-License-Identifier: Apache-2.0
//
// Standard output that loses nothing silently. Commands write to it by {fmt} or show. If it cannot take all,
// for example because the disk is full, the command fails: flushOutput finds the error at the end of the
// command, or between the parts of an endless output. A reader that has gone (`| head`) is not an error: the
// program dies of SIGPIPE.
#pragma once

#include <string_view>

namespace batchscope::cli {

// Call it first in main. A file that is opened later must not get the number of a closed standard stream, and
// with it the text for that stream. Writing to the stream is then an error.
void keepStandardStreams();

// Prints at once. Never throws: a run is followed to its end even if nothing can be printed. Errors are
// remembered for flushOutput.
void show(std::string_view text) noexcept;

// Throws Error(io) if standard output has not taken everything that was written to it, Interrupted if its
// reader has gone.
void flushOutput();

// Throws what flushOutput does, for an `errno` of another write.
[[noreturn]] void refuseOutput(int fault);

}  // namespace batchscope::cli
