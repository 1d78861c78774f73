// SPDX-License-Identifier: Apache-2.0
//
// Access control by the head of a request alone (THREATS.md says against whom). The Host must be this
// server's, so that no other name can be bound to its address. A token must be sent, the owner's or a named
// one, so that other users are kept out. A request that changes something needs a token that allows it, and
// must come from the page itself, not from another site's page.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "batchscope/http/request.h"
#include "batchscope/http/response.h"
#include "batchscope/web/tokens.h"

namespace batchscope::web {

// Compares in a time that does not depend on where they differ.
bool same_secret(std::string_view a, std::string_view b);

// The person who asks, named by the token that was sent.
struct Caller {
  std::string name;  // empty: the owner
  Right right = Right::read;
  std::string secret;
  std::string run = {};  // the only one that is shown; empty: all
};

class Access {
 public:
  using Tokens = std::function<const std::vector<NamedToken>&()>;

  // `hosts`: names and addresses beside those of loopback. `tls`: nothing else is spoken. `named`: the tokens
  // by name, as they are when it is called; null: there are none.
  Access(std::string token, const std::vector<std::string>& hosts, bool read_only, bool tls = false,
         Tokens named = {});

  const std::string& token() const { return token_; }
  // Whether this caller may change nothing.
  bool read_only(const Caller& caller) const { return read_only_ || caller.right == Right::read; }
  // Whether the token still lets somebody in.
  bool knows(std::string_view secret) const { return whose(secret).has_value(); }

  // Throws http::Fault: 405, 421, 401, 403, 415.
  Caller check(const http::Request& head) const;
  // Checks the same where everybody on this machine may look, and nobody can change anything. Throws
  // http::Fault: 405, 421, 403.
  void check_open(const http::Request& head) const;

  // Returns, for a request that has passed and has a token in its address, the redirect to the same address
  // without it, with the caller's cookie in its place. None for any other.
  std::optional<http::Response> entrance(const http::Request& request, const Caller& caller) const;

 private:
  void check_host(const http::Request& head) const;
  std::optional<Caller> whose(std::string_view secret) const;
  std::optional<Caller> caller(const http::Request& head) const;
  void check_change(const http::Request& head, const Caller& caller) const;
  void check_link(const http::Request& head, const Caller& caller) const;

  const std::string token_;
  std::set<std::string, std::less<>> hosts_;
  const bool read_only_;
  const bool tls_;
  const Tokens named_;
};

}  // namespace batchscope::web
