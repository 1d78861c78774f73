// SPDX-License-Identifier: Apache-2.0
//
// serve: the store's runs in a browser.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace batchscope::cli {

struct ServeOptions {
  std::optional<int> port;          // none: the usual one, or any if that is taken
  std::string socket;               // a Unix socket instead of a port
  std::optional<int> metricsPort;   // of loopback, for Prometheus; none: only with the token
  std::string listen;               // an address that others can reach; empty: loopback
  std::string certificate, key;     // files, for that
  std::vector<std::string> hosts;   // names by which browsers may reach the server
  std::string store;                // a catalogue; empty: this user's
  std::vector<std::string> tokens;  // "NAME:RIGHT"; made if there is none of this name
  bool readOnly = false;
  bool newToken = false;
  bool open = false;  // in a browser
  bool json = false;
};
int serve(const ServeOptions& options);

// Makes this catalogue the store, unless it is empty. Throws Error(not_found) where there is no such file.
void useStore(const std::string& catalogue);

}  // namespace batchscope::cli
