// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/end_notice.h"

#include <fmt/format.h>

#include <QEventLoop>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QNetworkRequest>
#include <QProcess>
#include <QUrl>
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "batchscope/protocol/node_name.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/storage/catalogue.h"
#include "system/detached.h"

namespace batchscope::run {
namespace {

using protocol::Json;

constexpr int kPatience = 30'000;  // ms

bool is_address(const std::string& whom) {
  return whom.starts_with("http://") || whom.starts_with("https://");
}

// The path and the query of an address are often its secret.
std::string public_name(const std::string& whom) {
  return is_address(whom) ? QUrl(QString::fromStdString(whom)).host().toStdString() : "`" + whom + "`";
}

// "digits (k3j2h1g0) finished: epoch 5 of 5, step 1200"
std::string sentence_of(const storage::Run& run) {
  std::string text = fmt::format("{} ({}) {}", run.name, run.id, protocol::run_state_name(run.state));
  if (!run.message.empty()) return text + ": " + run.message;
  if (run.epochs > 0) text += fmt::format(": epoch {} of {}, step {}", run.epoch, run.epochs, run.step);
  return text;
}

Json facts_of(const storage::Run& run, const std::string& sentence) {
  Json latest = Json::object();
  for (const auto& [name, value] : run.latest) latest[name] = protocol::encode_number(value);
  return {{"event", protocol::run_state_name(run.state)},
          {"text", sentence},
          {"run", run.id},
          {"name", run.name},
          {"message", run.message},
          {"step", run.step},
          {"epoch", run.epoch},
          {"seconds", std::max(0.0, run.ended - run.created)},
          {"host", protocol::node_name()},
          {"latest", latest}};
}

// Returns what went wrong; empty: nothing.
std::string post(const std::string& address, const QByteArray& json) {
  QNetworkAccessManager network;
  QNetworkRequest request{QUrl(QString::fromStdString(address))};
  request.setHeader(QNetworkRequest::ContentTypeHeader, QStringLiteral("application/json"));
  request.setTransferTimeout(kPatience);
  QNetworkReply* const reply = network.post(request, json);
  QEventLoop loop;
  QObject::connect(reply, &QNetworkReply::finished, &loop, &QEventLoop::quit);
  if (!reply->isFinished()) loop.exec();
  if (reply->error() == QNetworkReply::NoError) return "";
  // Qt's words for a refusal quote the whole address.
  const int status = reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
  return status > 0 ? fmt::format("it answered {}", status) : reply->errorString().toStdString();
}

std::string call(const std::string& command, const std::string& sentence, const QByteArray& json) {
  QProcess shell;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("BATCHSCOPE_NOTICE"), QString::fromUtf8(json));
  shell.setProcessEnvironment(environment);
  shell.setProcessChannelMode(QProcess::ForwardedChannels);
  shell.setStandardInputFile(QProcess::nullDevice());
  shell.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), QString::fromStdString(command + " \"$1\""),
                                          QStringLiteral("batchscope"), QString::fromStdString(sentence)});
  if (!shell.waitForFinished(kPatience)) return fmt::format("it has not ended within {} s", kPatience / 1000);
  if (shell.exitStatus() != QProcess::NormalExit) return "it was killed by a signal";
  return shell.exitCode() == 0 ? "" : fmt::format("it ended with exit code {}", shell.exitCode());
}

std::string whom_of(const protocol::RunSpec& spec) {
  if (const auto own = spec.environment.find(kNotify); own != spec.environment.end()) return own->second;
  const char* const all = std::getenv(kNotify);
  return all == nullptr ? "" : all;
}

}  // namespace

void check_notify(const std::string& whom) {
  if (!is_address(whom)) return;
  const QUrl url(QString::fromStdString(whom), QUrl::StrictMode);
  if (!url.isValid() || url.host().isEmpty())
    throw Error(
        ErrorKind::usage,
        fmt::format("'{}' is not an address: write http://HOST/PATH, or a command for the shell", whom));
}

void announce_end(const std::string& id, const protocol::RunSpec& spec) noexcept {
  try {
    if (!whom_of(spec).empty())
      start_detached("batchscope", {QStringLiteral("tell-end"), QString::fromStdString(id)},
                     protocol::run_paths(id).root / "supervisor.log");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nobody was told of the end: %s\n", error.what());
  }
}

void tell_end(const std::string& id) {
  storage::Catalogue catalogue(protocol::catalogue_path());
  const auto run = catalogue.run(id);
  if (!run) throw Error(ErrorKind::not_found, "there is no run " + id);
  const std::string whom = whom_of(run->spec);
  const bool ended = run->state == protocol::RunState::finished || run->state == protocol::RunState::failed;
  if (whom.empty() || !ended) return;
  const std::string sentence = sentence_of(*run);
  const QByteArray json = QByteArray::fromStdString(
      facts_of(*run, sentence).dump(-1, ' ', false, Json::error_handler_t::replace));
  const std::string trouble = is_address(whom) ? post(whom, json) : call(whom, sentence, json);
  if (trouble.empty()) return;
  const auto generations = catalogue.generations(id);
  catalogue.add_event(id, generations.empty() ? 0 : generations.back().number, run->step, "warning",
                      fmt::format("nobody was told of the end by {}: {}", public_name(whom), trouble));
}

}  // namespace batchscope::run
