// SPDX-License-Identifier: Apache-2.0
//
// Completion of a command line that is being typed. The shells' scripts only ask `batchscope __complete`, so
// they offer what this program accepts, with the runs, series and fields that exist now.
#pragma once

#include <string>
#include <vector>

#include "command_line/command_set.h"

namespace batchscope::cli {

struct Candidate {
  std::string text;
  std::string description;  // one line, may be empty
};

struct Completion {
  std::vector<Candidate> candidates;  // each begins with the last word
  bool files = false;                 // the shell is to offer names of files
};

// Returns what can complete the line. `words` are those after the program's name; the last one is being
// typed, and may be empty. Never throws, and creates no store.
Completion complete(const CommandSet& set, std::vector<std::string> words);

// Returns a line for each candidate, with its description after a tab; ":files" if the shell is to offer
// files.
std::string completionText(const Completion& completion);

// Returns the script for a shell: bash, zsh or fish.
const char* completionScript(const std::string& shell);

}  // namespace batchscope::cli
