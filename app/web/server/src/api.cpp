// SPDX-License-Identifier: Apache-2.0
#include "api.h"

#include <fmt/core.h>

#include <QSysInfo>
#include <algorithm>
#include <utility>

#include "answer.h"
#include "answers/explorer_answers.h"
#include "answers/lesson_answers.h"
#include "answers/list_answers.h"
#include "answers/run_answers.h"
#include "answers/scaling_answers.h"
#include "answers/sharing_answers.h"
#include "batchscope/common/say.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/run/machine.h"
#include "batchscope/web/tokens.h"
#include "files/log_answers.h"
#include "files/run_files.h"
#include "samples/sample_answers.h"
#include "verbs/new_run.h"

namespace batchscope::web {
namespace {

using common::say;
using http::Fault, http::Reply, http::Request;
using protocol::Json;

constexpr std::size_t kMostListed = 16;           // of one stream, or of a comparison
constexpr std::int64_t kLinkSeconds = 24 * 3600;  // for which a link shows its run

[[noreturn]] void nothing() { throw Fault{404, "there is nothing at this address"}; }

void insist_on_reading(const Request& request) {
  if (request.method == "POST") throw Fault{405, "use GET for this address"};
}

std::vector<std::string> devices() {
  const run::Machine machine = run::Machine::here();
  std::vector<std::string> names = machine.gpus;
  names.insert(names.end(), machine.cores.begin(), machine.cores.end());
  return names;
}

void check_listed(const std::vector<std::string>& runs) {
  if (runs.empty() || runs.size() > kMostListed)
    throw Error(ErrorKind::usage, fmt::format("runs= names 1 to {} runs by their ids", kMostListed));
}

// The runs of a comparison, in the order of their colours.
std::vector<std::string> listed_runs(const Request& request) {
  std::vector<std::string> runs = words_in(request, "runs");
  check_listed(runs);
  return runs;
}

}  // namespace

void Api::answer(const Request& request, const Caller& caller, const Reply& reply) {
  const Path path(request.path.begin() + 1, request.path.end());
  if (path.size() == 3 && path[0] == "runs" && path[2] == "control") {
    if (request.method != "POST") throw Fault{405, "use POST to control a run"};
    return controls_.answer(path[1], caller.name, request, reply);
  }
  if (path.size() == 3 && path[0] == "runs" && path[2] == "link") {
    if (request.method != "POST") throw Fault{405, "use POST to make a link"};
    return ask(reply, [id = path[1]](Store& store) -> Json {
      const NamedToken link = give_link(store.run(id).id, kLinkSeconds);
      return {{"name", link.name}, {"path", link_path(link)}, {"until", link.until}};
    });
  }
  if (path.size() == 3 && path[0] == "runs" && (path[2] == "edit" || path[2] == "trash")) {
    if (request.method != "POST") throw Fault{405, "use POST to change a run"};
    const auto change = path[2] == "edit" ? &Controls::answer_edit : &Controls::answer_trash;
    return (controls_.*change)(path[1], caller.name, request, reply);
  }
  if (path.size() == 3 && path[0] == "runs" && path[2] == "fork") {
    if (request.method != "POST") throw Fault{405, "use POST to fork a run"};
    return controls_.answer_fork(path[1], caller.name, request, reply);
  }
  if (path.size() == 2 && path[0] == "queue") {
    if (request.method != "POST") throw Fault{405, "use POST to control a job of the queue"};
    return controls_.answer_job(path[1], caller.name, request, reply);
  }
  if ((path == Path{"queue"} || path == Path{"runs"}) && request.method == "POST")
    return controls_.answer_new_run(caller.name, path == Path{"runs"}, request, reply);
  if (path == Path{"sweeps"} && request.method == "POST")
    return controls_.answer_new_sweep(caller.name, request, reply);
  if (path.size() == 2 && path[0] == "sweeps" && request.method == "POST")
    return controls_.answer_sweep(path[1], caller.name, request, reply);
  if (path.size() == 2 && path[0] == "lessons" && request.method == "POST")
    return controls_.answer_lesson(path[1], reply);
  if (path == Path{"pool"}) {
    if (request.method != "POST") throw Fault{405, "use POST to control the pool; GET /api/queue shows it"};
    return controls_.answer_pool(request, reply);
  }
  insist_on_reading(request);
  if (path == Path{"about"}) return reply(about(caller));
  if (path == Path{"runs"}) return list(request, reply);
  if (path.size() >= 2 && path[0] == "runs") return answer_run(path, request, caller, reply);
  if (path == Path{"stream"}) return stream(words_in(request, "runs"), request, caller, reply);
  if (path == Path{"scaling"})
    return ask(reply, [runs = listed_runs(request)](Store& store) { return compared_json(store, runs); });
  if (path == Path{"sharing"})
    return ask(reply, [request](Store& store) { return sharing_json(store, request); });
  if (path == Path{"changes"}) return feeds_.open_lists(reply, allowed(caller));
  if (path == Path{"decisions"})
    return ask(reply, [request](Store& store) { return decisions_json(store, request); });
  if (path == Path{"queue"}) return ask(reply, queue_json);
  if (path == Path{"recipes"}) return ask(reply, [](Store&) { return recipes_json(); });
  if (path == Path{"sweeps"}) return ask(reply, sweeps_json);
  if (path == Path{"lessons"}) return ask(reply, [](Store&) { return lessons_json(); });
  if (path.size() == 2 && path[0] == "lessons")
    return ask(reply, [name = path[1]](Store& store) { return lesson_json(store, name); });
  if (path.size() == 2 && path[0] == "sweeps")
    return ask(reply, [name = path[1]](Store& store) { return sweep_json(store, name); });
  if (path.size() == 3 && path[0] == "sweeps" && path[2] == "trials")
    return ask_for_file(
        reply, [name = path[1], request](Store& store) { return trials_file(store, name, request); });
  nothing();
}

void Api::answer_run(const Path& path, const Request& request, const Caller& caller, const Reply& reply) {
  const std::string& id = path[1];
  if (path.size() == 2) return details(id, reply);
  if (path.size() != 3) nothing();
  if (path[2] == "samples")
    return ask(reply, [id, request](Store& store) { return samples_json(store, id, request); });
  if (path[2] == "log")
    return ask(reply, [id, request](Store& store) { return log_json(store, id, request); });
  if (path[2] == "explorer")
    return ask(reply, [id, request](Store& store) { return explorer_json(store, id, request); });
  if (path[2] == "scaling") return ask(reply, [id](Store& store) { return scaling_json(store, id); });
  if (path[2] == "clone") return ask(reply, [id](Store& store) { return clone_json(store, id); });
  if (path[2] == "files" || path[2] == "file") return answer_files(path, request, caller, reply);
  if (path[2] == "record") return downloads_.send_record(id, request, allowed(caller), reply);
  if (path[2] == "log.txt") return downloads_.send_log(id, request, allowed(caller), reply);
  if (path[2] == "stream") return stream({id}, request, caller, reply);
  nothing();
}

// A person who may look sees what the page shows. A program's own files, such as the weights of its
// checkpoints, were never made to be shown.
void Api::answer_files(const Path& path, const Request& request, const Caller& caller, const Reply& reply) {
  if (access_.read_only(caller))
    throw Fault{
        403, say("files of a program are for people who may control its run, and this token is for looking")};
  if (path[2] == "file") return downloads_.send_file(path[1], request, allowed(caller), reply);
  ask(reply, [id = path[1]](Store& store) { return files_json(store.run(id)); });
}

EventPage::Allowed Api::allowed(const Caller& caller) const {
  return [this, secret = caller.secret] { return access_.knows(secret); };
}

void Api::stream(std::vector<std::string> runs, const Request& request, const Caller& caller,
                 const Reply& reply) {
  std::sort(runs.begin(), runs.end());
  runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
  check_listed(runs);
  feeds_.open(runs, request, reply, allowed(caller));
}

http::Response Api::about(const Caller& caller) const {
  return json_response({{"version", BATCHSCOPE_VERSION},
                        {"host", QSysInfo::machineHostName().toStdString()},
                        {"store", protocol::catalogue_path().string()},
                        {"read_only", access_.read_only(caller)},
                        {"token", caller.name.empty() ? Json() : Json(caller.name)},
                        {"run", caller.run.empty() ? Json() : Json(caller.run)},
                        {"now", storage::now()},
                        {"devices", devices()}});
}

void Api::ask(const Reply& reply, std::function<Json(Store&)> question) {
  ask_for_file(reply,
               [question = std::move(question)](Store& store) { return json_response(question(store)); });
}

void Api::ask_for_file(const Reply& reply, std::function<http::Response(Store&)> question) {
  reads_.post([reply, question = std::move(question)](Store& store) -> Worker::Rest {
    const http::Response response = answer_of([&] { return question(store); });
    return [reply, response] { reply(response); };
  });
}

void Api::list(const Request& request, const Reply& reply) {
  reads_.post([this, request, reply](Store& store) -> Worker::Rest {
    RunList list;
    const http::Response failure = answer_of([&] {
      list = list_runs(store, request);
      return http::Response();
    });
    if (list.json.is_null()) return [reply, failure] { reply(failure); };
    return [this, reply, list = std::move(list)] {
      std::vector<std::string> asked;
      for (const RunList::Active& each : list.active) asked.push_back(each.run.id);
      live_.ask(asked, [reply, list](const LiveRuns::Statuses& statuses) mutable {
        add_statuses(list, statuses);
        reply(json_response(list.json));
      });
    };
  });
}

void Api::details(const std::string& id, const Reply& reply) {
  reads_.post([this, id, reply](Store& store) -> Worker::Rest {
    RunDetails details;
    const http::Response failure = answer_of([&] {
      details = run_details(store, id);
      return http::Response();
    });
    if (details.json.is_null()) return [reply, failure] { reply(failure); };
    return [this, id, reply, details = std::move(details)] {
      const std::vector<std::string> asked =
          details.active ? std::vector<std::string>{id} : std::vector<std::string>();
      live_.ask(asked, [id, reply, json = details.json](const LiveRuns::Statuses& statuses) mutable {
        if (const auto found = statuses.find(id); found != statuses.end()) json["status"] = found->second;
        reply(json_response(json));
      });
    };
  });
}

}  // namespace batchscope::web
