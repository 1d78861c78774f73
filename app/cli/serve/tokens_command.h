// SPDX-License-Identifier: Apache-2.0
//
// serve tokens: lists, adds and revokes the tokens of other people.
#pragma once

#include <string>
#include <vector>

namespace batchscope::cli {

struct TokensOptions {
  std::vector<std::string> add;     // "NAME", "NAME:read" or "NAME:control"
  std::vector<std::string> revoke;  // names
  std::string store;                // a catalogue; empty: this user's
  bool json = false;
};
int tokens(const TokensOptions& options);

struct LinkOptions {
  std::string run;
  int hours = 24;
  std::string store;
  bool json = false;
};
// serve link: a token that shows one run for some time.
int link(const LinkOptions& options);

}  // namespace batchscope::cli
