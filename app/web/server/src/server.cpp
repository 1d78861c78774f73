// SPDX-License-Identifier: Apache-2.0
#include "batchscope/web/server.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include "access/access.h"
#include "access/token_file.h"
#include "access/token_watch.h"
#include "answer.h"
#include "api.h"
#include "batchscope/http/server.h"
#include "batchscope/protocol/paths.h"
#include "files/page_files.h"
#include "metrics/metrics_answers.h"

namespace batchscope::web {
namespace {

constexpr char kTokenFile[] = "serve.token";  // beside the catalogue
constexpr http::Limits kLimits{256, std::chrono::seconds(10), 512};
constexpr http::Limits kMetricsLimits{16, std::chrono::seconds(10), 0};  // Prometheus needs one at a time
constexpr char kMetricsPath[] = "metrics";

// No script but the page's own, nothing from elsewhere, and in no other site's frame.
const std::vector<http::Field> kFields{
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
     "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"}};

// The owner's token. A new one revokes all others, too.
std::string token_of(const ServerOptions& options) {
  if (options.new_token) revoke_all_tokens();
  named_tokens();  // a damaged file is told before anybody is refused because of it
  return store_token(protocol::catalogue_path().parent_path() / kTokenFile, options.new_token);
}

std::vector<std::string> hosts_of(const ServerOptions& options) {
  std::vector<std::string> hosts = options.host_names;
  if (options.address.socket.empty()) hosts.push_back(options.address.host);
  return hosts;
}

std::filesystem::path program_of(const ServerOptions& options) {
  if (!options.program.empty()) return options.program;
  return std::filesystem::path(QCoreApplication::applicationDirPath().toStdString()) / "batchscope";
}

}  // namespace

std::filesystem::path installed_page() {
  const QString beside = QCoreApplication::applicationDirPath() + "/../share/batchscope/page";
  for (const QString& folder : {beside, QStringLiteral("/usr/share/batchscope/page")})
    if (QFileInfo::exists(folder + "/index.html")) return QDir::cleanPath(folder).toStdString();
  return {};
}

const char* no_page_advice() noexcept { return kNoPage; }

struct Server::Impl {
  explicit Impl(const ServerOptions& options)
      : access(token_of(options), hosts_of(options), options.read_only, !options.address.certificate.empty(),
               [this]() -> const std::vector<NamedToken>& { return tokens.current(); }),
        page(options.page),
        api(access, program_of(options)),
        server(options.address, kLimits) {
    if (options.metrics_port) serve_metrics(*options.metrics_port);
    server.fields = kFields;
    server.on_head = [this](const http::Request& head) { access.check(head); };
    server.on_request = [this](const http::Request& request, const http::Reply& reply) {
      try {
        answer(request, reply);
      } catch (const Error& error) {
        reply(error_answer(error));
      }
    };
  }

  void answer(const http::Request& request, const http::Reply& reply) {
    const Caller caller = access.check(request);  // once more: its token may be revoked while a body comes
    if (const auto entrance = access.entrance(request, caller)) return reply(*entrance);
    if (request.path.front() == "api") return api.answer(request, caller, reply);
    if (request.method == "POST") throw http::Fault{405, "use GET for this address"};
    if (request.path == std::vector<std::string>{kMetricsPath}) return metrics.answer(request, reply);
    reply(page.answer(request));
  }

  // The metrics alone, on loopback and without the token.
  void serve_metrics(std::uint16_t port) {
    http::Server& open = metrics_server.emplace(http::Address{.port = port}, kMetricsLimits);
    open.fields = kFields;
    open.on_head = [this](const http::Request& head) { access.check_open(head); };
    open.on_request = [this](const http::Request& request, const http::Reply& reply) {
      if (request.path != std::vector<std::string>{kMetricsPath})
        throw http::Fault{404, "this port answers /metrics and nothing else"};
      metrics.answer(request, reply);
    };
  }

  TokenWatch tokens;
  const Access access;
  const PageFiles page;
  Api api;
  MetricsAnswers metrics;
  http::Server server;
  std::optional<http::Server> metrics_server;
};

Server::Server(const ServerOptions& options) : impl_(std::make_unique<Impl>(options)) {}

Server::~Server() = default;

std::uint16_t Server::port() const { return impl_->server.port(); }

std::uint16_t Server::metrics_port() const {
  return impl_->metrics_server ? impl_->metrics_server->port() : 0;
}

const std::string& Server::token() const { return impl_->access.token(); }

}  // namespace batchscope::web
