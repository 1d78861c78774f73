// SPDX-License-Identifier: Apache-2.0
//
// serve: shows the store's runs in a browser, until Ctrl-C. app/web/server answers the requests.
#include "serve/serve_command.h"

#include <fmt/core.h>
#include <sys/resource.h>

#include <QCoreApplication>
#include <QProcess>
#include <QSysInfo>
#include <filesystem>
#include <optional>
#include <system_error>

#include "batchscope/common/shell_words.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/run/application.h"
#include "batchscope/web/server.h"
#include "batchscope/web/tokens.h"
#include "records/store.h"
#include "terminal/interrupts.h"
#include "terminal/json_output.h"
#include "terminal/standard_output.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kUsualPort = 8471;
constexpr rlim_t kFiles = 4096;  // of all pages, and of the runs that they look at

// Raises the limit on open files of a shell that allows less than the system does.
void allowFiles() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= kFiles) return;
  files.rlim_cur = std::min(files.rlim_max, kFiles);
  setrlimit(RLIMIT_NOFILE, &files);
}

web::ServerOptions serverOptions(const ServeOptions& options) {
  web::ServerOptions server;
  server.page = web::installed_page();
  server.host_names = options.hosts;
  server.read_only = options.readOnly;
  server.new_token = options.newToken;
  server.address.port = static_cast<std::uint16_t>(options.port.value_or(kUsualPort));
  if (options.metricsPort) server.metrics_port = static_cast<std::uint16_t>(*options.metricsPort);
  if (!options.socket.empty()) server.address.socket = fs::absolute(options.socket);
  if (!options.listen.empty()) {
    server.address.host = options.listen;
    server.address.certificate = options.certificate;
    server.address.key = options.key;
  }
  return server;
}

// Starts on the usual port. If that is taken and was not asked for, starts on another.
std::unique_ptr<web::Server> startServer(const ServeOptions& options) {
  web::ServerOptions server = serverOptions(options);
  try {
    return std::make_unique<web::Server>(server);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::conflict || options.port || !options.socket.empty()) throw;
    server.address.port = 0;
    server.new_token = false;
    auto other = std::make_unique<web::Server>(server);
    fmt::print(stderr, "batchscope: {}\n",
               say("port {} is taken; serving on port {}", kUsualPort, other->port()));
    return other;
  }
}

// Returns the address for a browser on this machine; for a Unix socket, the address at the other end of the
// tunnel.
std::string address(const ServeOptions& options, const web::Server& server, const std::string& token) {
  const int port = server.port() > 0 ? server.port() : kUsualPort;
  const bool isShared = !options.listen.empty();
  const std::string host = !options.hosts.empty() ? options.hosts.front()
                           : isShared             ? options.listen
                                                  : "localhost";
  return fmt::format("{}://{}:{}/?token={}", isShared ? "https" : "http", host, port, token);
}

// Returns the command that opens a tunnel, to be run on the user's machine; empty if none is needed.
std::string tunnel(const ServeOptions& options, const web::Server& server) {
  if (!options.listen.empty()) return {};
  const std::string host = QSysInfo::machineHostName().toStdString();
  const std::string user = qEnvironmentVariable("USER", "USER").toStdString();
  const int port = server.port() > 0 ? server.port() : kUsualPort;
  const std::string end =
      server.port() > 0 ? fmt::format("localhost:{}", port) : fs::absolute(options.socket).string();
  const std::vector<std::string> words{"ssh", "-N", "-L", fmt::format("{}:{}", port, end), user + "@" + host};
  return common::shellWords(words);
}

void tell(const ServeOptions& options, const web::Server& server,
          const std::vector<web::NamedToken>& tokens) {
  const std::string url = address(options, server, server.token()), ssh = tunnel(options, server);
  const std::string metrics =
      options.metricsPort ? fmt::format("http://localhost:{}/metrics", server.metrics_port()) : "";
  if (options.json) {
    protocol::Json line{{"url", url}, {"token", server.token()}, {"port", server.port()}};
    for (const web::NamedToken& token : tokens)
      line["tokens"].push_back({{"name", token.name},
                                {"right", web::right_name(token.right)},
                                {"url", address(options, server, token.secret)},
                                {"token", token.secret}});
    if (!options.socket.empty()) line["socket"] = fs::absolute(options.socket).string();
    if (!ssh.empty()) line["ssh"] = ssh;
    if (!metrics.empty()) line["metrics"] = metrics;
    return printJson(line);
  }
  if (web::installed_page().empty())
    fmt::print(stderr, "batchscope: {}\n", say("{}; the API answers without it", web::no_page_advice()));
  fmt::print("{}{}\n", url, options.readOnly ? "   " + say("(read-only)") : "");
  for (const web::NamedToken& token : tokens)
    fmt::print(
        "{}: {}\n",
        token.right == web::Right::read ? say("For {}, read-only", token.name) : say("For {}", token.name),
        address(options, server, token.secret));
  if (!ssh.empty()) fmt::print("{}\n", say("From another machine, first run this there: {}", printable(ssh)));
  if (!metrics.empty()) fmt::print("{}\n", say("For Prometheus, without a token: {}", metrics));
  fmt::print("{}\n", say("Ctrl-C ends it; runs go on."));
  flushOutput();
}

}  // namespace

void useStore(const std::string& catalogue) {
  if (catalogue.empty()) return;
  std::error_code none;
  if (!fs::is_regular_file(catalogue, none))  // a new one in its place would be an empty page
    throw Error(ErrorKind::not_found,
                say("there is no store at {}; give the path of its runs.db", catalogue));
  qputenv("BATCHSCOPE_DB", QByteArray::fromStdString(fs::absolute(catalogue).string()));
}

int serve(const ServeOptions& options) {
  useStore(options.store);
  allowFiles();
  openCatalogue();  // one that cannot be read is told here, not by each page
  for (const std::string& text : options.tokens)
    web::check_token_text(text);  // before --new-token revokes others
  const std::unique_ptr<web::Server> server = startServer(options);
  std::vector<web::NamedToken> tokens;
  for (const std::string& text : options.tokens) tokens.push_back(web::give_token(text));
  // An error of one request must not end all others.
  if (auto* application = dynamic_cast<run::Application*>(QCoreApplication::instance()))
    application->on_exception = [](const std::exception& error) {
      fmt::print(stderr, "batchscope: {}\n", printable(error.what()));
    };
  Interrupts interrupts;
  QObject::connect(&interrupts, &Interrupts::raised, [] { QCoreApplication::exit(kExitOk); });
  tell(options, *server, tokens);
  if (options.open)
    QProcess::startDetached(QStringLiteral("xdg-open"),
                            {QString::fromStdString(address(options, *server, server->token()))});
  return QCoreApplication::exec();
}

}  // namespace batchscope::cli
