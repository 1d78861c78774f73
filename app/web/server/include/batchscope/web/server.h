// SPDX-License-Identifier: Apache-2.0
/// \file
/// The server behind `batchscope serve`: a page with the runs of this machine's store, and the API by which
/// the page shows and controls them (app/web/server/API.md). app/web/server/THREATS.md says what strangers
/// can reach.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/http/settings.h"

namespace batchscope::web {

/// Options of the server.
struct ServerOptions {
  http::Address address = {};                ///< where it listens
  std::vector<std::string> host_names = {};  ///< under which browsers may call it, beside those of loopback
  std::filesystem::path page = {};           ///< folder with index.html and what it needs
  /// The path of `batchscope`, which exports runs, and passes commands on to runs that train elsewhere;
  /// empty: the one beside this program
  std::filesystem::path program = {};
  bool read_only = false;  ///< nothing can be changed
  bool new_token = false;  ///< replaces the store's token, and revokes all named tokens
  /// A port of loopback that answers only GET /metrics, without the token; 0: any that is free
  std::optional<std::uint16_t> metrics_port = {};
};

/// Returns the folder with the page that came with this program; empty where there is none. Then the API
/// answers, and in place of the page it says what to do.
std::filesystem::path installed_page();
/// Returns a sentence that says what to do where there is no page.
const char* no_page_advice() noexcept;

/// The server of the store that protocol::catalogue_path() names. Needs a QCoreApplication and its event
/// loop, which it never blocks: it reads the store and waits for supervisors on threads of its own.
class Server {
 public:
  /// Serves from now on. Throws as http::Server, and as the catalogue does.
  explicit Server(const ServerOptions& options);
  /// Waits for reads and for commands to runs that are under way: seconds at most.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;          ///< 0 for a Unix socket
  std::uint16_t metrics_port() const;  ///< 0 where there is none
  const std::string& token() const;    ///< the owner's, which clients have to send; tokens.h has others

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace batchscope::web
