// SPDX-License-Identifier: Apache-2.0
/// \file
/// The server behind `batchscope serve`: a page with the runs of this machine's store, and the API by which
/// the page looks at them and drives them (app/web/server/API.md). What strangers can reach of it is in
/// app/web/server/THREATS.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/http/settings.h"

namespace batchscope::web {

/// How to serve.
struct ServerOptions {
  http::Address address = {};                ///< where
  std::vector<std::string> host_names = {};  ///< by which browsers may call it, beside those of loopback
  std::filesystem::path page = {};           ///< folder with index.html and what it needs
  /// `batchscope`, by which runs are exported, and what is asked of one that trains elsewhere is handed on;
  /// empty: the one beside this program
  std::filesystem::path program = {};
  bool read_only = false;  ///< nothing can be changed
  bool new_token = false;  ///< another one than the store's, and all tokens by name revoked
  /// A port of loopback that answers GET /metrics without the token, and nothing else; 0: any that is free
  std::optional<std::uint16_t> metrics_port = {};
};

/// The folder with the page that came with this program; empty where there is none. Then the API answers, and
/// in the page's place it says what to do.
std::filesystem::path installed_page();
/// Says what to do where there is no page, in a sentence.
const char* no_page_advice() noexcept;

/// Such a server, of the store that protocol::catalogue_path() names. Needs a QCoreApplication and its event
/// loop, and never holds it up: what reads the store or waits for a supervisor does so on threads of its own.
class Server {
 public:
  /// Serves from now on. Throws as http::Server, and as the catalogue does.
  explicit Server(const ServerOptions& options);
  /// Waits for what is being read, or asked of a run: seconds at most.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;          ///< 0 for a Unix socket
  std::uint16_t metrics_port() const;  ///< 0 where there is none
  const std::string& token() const;    ///< the owner's, which clients have to show; tokens.h has others

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace batchscope::web
