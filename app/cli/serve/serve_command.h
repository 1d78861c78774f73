// SPDX-License-Identifier: Apache-2.0
//
// serve: the store's runs in a browser.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace batchscope::cli {

struct ServeOptions {
  std::optional<int> port;          // none: the usual one, or where it is taken any
  std::string socket;               // a Unix socket in its place
  std::optional<int> metricsPort;   // of loopback, for Prometheus; none: only with the token
  std::string listen;               // an address that others can reach; empty: loopback
  std::string certificate, key;     // files, for that
  std::vector<std::string> hosts;   // names by which browsers may call it
  std::string store;                // a catalogue; empty: this user's
  std::vector<std::string> tokens;  // by name, to be made where there is none: "NAME:RIGHT"
  bool readOnly = false;
  bool newToken = false;
  bool open = false;  // in a browser
  bool json = false;
};
int serve(const ServeOptions& options);

// Makes this catalogue the store, unless it is empty.
void useStore(const std::string& catalogue);

}  // namespace batchscope::cli
