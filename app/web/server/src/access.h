// SPDX-License-Identifier: Apache-2.0
//
// Access control by the head of a request alone (THREATS.md says against whom): the Host must be this
// server's, so that no other name can be bound to its address; the token must be shown, so that it is not
// another user's; and what changes something must come from the page itself, not from another site's.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "batchscope/http/request.h"
#include "batchscope/http/response.h"

namespace batchscope::web {

// Compares in a time that does not depend on where they differ.
bool same_secret(std::string_view a, std::string_view b);

class Access {
 public:
  // `hosts`: names and addresses beside those of loopback. `tls`: nothing else is spoken.
  Access(std::string token, const std::vector<std::string>& hosts, bool read_only, bool tls = false);

  const std::string& token() const { return token_; }
  bool read_only() const { return read_only_; }

  // Throws http::Fault: 405, 421, 401, 403, 415.
  void check(const http::Request& head) const;
  // The same where everybody on this machine may look, and nobody can change anything. Throws http::Fault:
  // 405, 421, 403.
  void check_open(const http::Request& head) const;

  // Returns, for a request that has passed and has the token in its address, the redirect to the same address
  // without it, with the cookie that takes its place. None for any other.
  std::optional<http::Response> entrance(const http::Request& request) const;

 private:
  void check_host(const http::Request& head) const;
  bool shows_token(const http::Request& head) const;
  void check_change(const http::Request& head) const;

  const std::string token_;
  std::set<std::string, std::less<>> hosts_;
  const bool read_only_;
  const bool tls_;
};

}  // namespace batchscope::web
