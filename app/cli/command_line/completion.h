// SPDX-License-Identifier: Apache-2.0
//
// Completion of a command line that is being typed. The shells' scripts only ask `batchscope __complete`, so
// that what they offer is what this program takes, with the runs, series and fields that are there now.
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
  std::vector<Candidate> candidates;  // that begin with the last word
  bool files = false;                 // names of files, which the shell knows best
};

// The words behind the program's name; the last is the one that is typed, maybe empty. Never throws and makes
// no store.
Completion complete(const CommandSet& set, std::vector<std::string> words);

// A line a candidate, the description behind a tab; ":files" where the shell is to offer files.
std::string completionText(const Completion& completion);

// `shell` is bash, zsh or fish.
const char* completionScript(const std::string& shell);

}  // namespace batchscope::cli
