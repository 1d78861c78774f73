// SPDX-License-Identifier: Apache-2.0
#include "verbs/controls.h"

#include <fmt/format.h>
#include <unistd.h>

#include <QProcess>
#include <QStringList>
#include <utility>

#include "answer.h"
#include "batchscope/common/run_control.h"
#include "batchscope/common/say.h"
#include "batchscope/common/shown_json.h"
#include "batchscope/protocol/control.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/run/client.h"
#include "batchscope/run/command.h"
#include "batchscope/storage/origins.h"
#include "store/asked_for.h"
#include "verbs/forks.h"
#include "verbs/new_run.h"
#include "verbs/new_sweep.h"
#include "verbs/queue_verbs.h"
#include "verbs/run_edits.h"
#include "verbs/sweep_verbs.h"

namespace batchscope::web {
namespace {

using common::say;
using protocol::Json;
using Command = protocol::Request::Command;

constexpr int kMostAtOnce = 8;
constexpr int kElsewhere = 180'000;  // ms, of what is handed on to another machine

// Only what a page may ask, by the supervisor's own reading of requests.
protocol::Request parsed(const Json& body) {
  if (!body.is_object()) throw Error(ErrorKind::usage, "send {\"command\":..} as JSON");
  Json json = {{"v", protocol::kControlVersion}, {"id", 0}, {"command", body.value("command", Json())}};
  if (body.contains("auto"))
    json["replicas"] = body.at("auto");
  else if (body.contains("replicas"))
    json["replicas"] = body.at("replicas");
  if (body.contains("devices")) json["devices"] = body.at("devices");
  const protocol::Request request =
      protocol::Request::parse(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  if (request.command == Command::status || request.command == Command::subscribe)
    throw Error(ErrorKind::usage, "\"command\" must be one of rescale, checkpoint, pause, resume, stop");
  return request;
}

// Asks by the command line, which knows the way to where the run trains. It has no terminal to ask for a
// password at.
Json ask_elsewhere(const QString& program, const std::string& id, const protocol::Request& request) {
  QStringList words;
  for (const std::string& word : run::command_words(id, request)) words << QString::fromStdString(word);
  words << QStringLiteral("--json");
  QProcess process;
  process.setChildProcessModifier([] { ::setsid(); });
  process.start(program, words);
  if (!process.waitForFinished(kElsewhere) || process.exitStatus() != QProcess::NormalExit) {
    process.kill();
    process.waitForFinished();
    throw Error(ErrorKind::timeout, say("the machine on which run {} trains has not answered", id));
  }
  const Json answer = Json::parse(process.readAllStandardOutput().toStdString(), nullptr, false);
  if (process.exitCode() == 0)
    return answer.is_object() && answer.contains("result") ? answer.at("result") : answer;
  const Json error = answer.is_object() ? answer.value("error", Json()) : Json();
  if (error.is_object())
    throw Error(parse_error_kind(error.value("kind", "failure")), error.value("message", ""));
  throw Error(ErrorKind::failure, process.readAllStandardError().trimmed().toStdString());
}

// A status with what is to be read of it.
Json with_words(Json result) {
  if (result.is_object() && result.contains("state"))
    result["shown"] = common::shownJson(result.get<protocol::RunStatus>());
  return result;
}

Json ask_here(Store& store, const storage::Run& run, const protocol::Request& request) {
  if (request.command != Command::resume) return common::askRun(store.catalogue(), run, request);
  common::resumeRun(store.catalogue(), run, request.replicas.value_or(0), request.devices);
  if (store.catalogue().job(run.id)) return nullptr;  // it waits for the pool
  return run::request(run.id, protocol::Request());   // its status
}

// The words do not say when: an answer may come before what was asked for happens, or after.
std::string words_of(const protocol::Request& request) {
  const std::string what = protocol::command_name(request.command);
  if (!request.devices.empty()) return fmt::format("{} to {}", what, fmt::join(request.devices, ", "));
  if (request.auto_replicas) return what + " to " + request.auto_replicas->text();
  if (!request.replicas) return what;
  return fmt::format("{} to {} replica{}", what, *request.replicas, *request.replicas == 1 ? "" : "s");
}

// A run that is only followed has its events from where it trains.
Json carry_out(Store& store, const QString& program, const std::string& id, const std::string& person,
               const protocol::Request& request) {
  const storage::Run run = store.run(id);
  const auto origin = storage::Origins(protocol::catalogue_path()).find(id);
  if (origin && origin->followed) {
    if (origin->control.empty()) throw Error(ErrorKind::conflict, storage::trains_elsewhere(id, *origin));
    if (!request.devices.empty())
      throw Error(ErrorKind::conflict, say("run {} trains elsewhere, where other devices have these names: "
                                           "give it a number of replicas",
                                           id));
    return ask_elsewhere(program, id, request);
  }
  Json result = ask_here(store, run, request);
  note_asked_for(store.catalogue(), run, words_of(request), person);
  return result;
}

}  // namespace

Controls::Controls(const std::filesystem::path& program)
    : program_(QString::fromStdString(program.string())) {
  threads_.setMaxThreadCount(kMostAtOnce);
}

Controls::~Controls() {
  threads_.clear();
  threads_.waitForDone();
}

void Controls::start(const http::Reply& reply, std::function<http::Response(Store&)> act) {
  threads_.start([this, reply, act = std::move(act)] {
    const http::Response response = answer_of([&] {
      Store store;
      return act(store);
    });
    QMetaObject::invokeMethod(
        &home_, [reply, response] { reply(response); }, Qt::QueuedConnection);
  });
}

void Controls::answer(const std::string& run, const std::string& person, const http::Request& request,
                      const http::Reply& reply) {
  start(reply, [this, run, person, asked = parsed(protocol::parse_object(request.body))](Store& store) {
    return json_response({{"result", with_words(carry_out(store, program_, run, person, asked))}});
  });
}

void Controls::answer_job(const std::string& run, const std::string& person, const http::Request& request,
                          const http::Reply& reply) {
  start(reply, [run, person, verb = job_verb(protocol::parse_object(request.body))](Store& store) {
    return json_response(ask_of_job(store, run, person, verb));
  });
}

void Controls::answer_edit(const std::string& run, const std::string& person, const http::Request& request,
                           const http::Reply& reply) {
  start(reply, [run, person, body = protocol::parse_object(request.body)](Store& store) {
    return json_response(edit_run(store, run, person, body));
  });
}

void Controls::answer_trash(const std::string& run, const std::string& person, const http::Request& request,
                            const http::Reply& reply) {
  start(reply, [run, person, body = protocol::parse_object(request.body)](Store& store) {
    return json_response(trash_run(store, run, person, body));
  });
}

void Controls::answer_fork(const std::string& run, const std::string& person, const http::Request& request,
                           const http::Reply& reply) {
  start(reply, [run, person, body = protocol::parse_object(request.body)](Store& store) {
    return fork_run(store, run, person, body);
  });
}

void Controls::answer_new_run(const std::string& person, bool at_once, const http::Request& request,
                              const http::Reply& reply) {
  start(reply, [person, at_once, body = protocol::parse_object(request.body)](Store& store) {
    return at_once ? start_new_run(store, person, body) : submit_new_run(store, person, body);
  });
}

void Controls::answer_new_sweep(const std::string& person, const http::Request& request,
                                const http::Reply& reply) {
  start(reply, [person, body = protocol::parse_object(request.body)](Store& store) {
    return begin_sweep(store, person, body);
  });
}

void Controls::answer_sweep(const std::string& sweep, const std::string& person, const http::Request& request,
                            const http::Reply& reply) {
  start(reply, [this, sweep, person, body = protocol::parse_object(request.body)](Store& store) {
    const Json command = body.is_object() ? body.value("command", Json()) : Json();
    if (command == "remove") return json_response(removed_.remove(store, sweep, person, body));
    if (command == "restore") return json_response(removed_.restore(store, sweep, person));
    return json_response(ask_of_sweep(store, sweep, person, sweep_verb(body)));
  });
}

void Controls::answer_lesson(const std::string& lesson, const http::Reply& reply) {
  start(reply, [this, lesson](Store& store) { return json_response(lessons_.take_in(store, lesson)); });
}

void Controls::answer_pool(const http::Request& request, const http::Reply& reply) {
  start(reply, [body = protocol::parse_object(request.body)](Store& store) {
    return json_response(configure_pool(store, body));
  });
}

}  // namespace batchscope::web
