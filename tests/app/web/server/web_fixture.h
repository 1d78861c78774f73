// SPDX-License-Identifier: Apache-2.0
//
// A server of a store of its own, and a client who has its token.
#pragma once

#include <QTemporaryDir>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "batchscope/protocol/json.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/storage/catalogue.h"
#include "batchscope/storage/samples.h"
#include "batchscope/web/server.h"
#include "engine/http/raw_http.h"
#include "test_case.h"
#include "text_files.h"

namespace batchscope::web {

// Returns a model of a run whose noise scale is 50.
inline protocol::Model fitted_model() {
  protocol::Model model;
  model.perf = {0.01, 0.001, 0.02, 0.001, 0.01, 0.0005, 1.2};
  model.grad_sqr = 1;
  model.grad_var = 50;
  model.init_batch_size = 32;
  model.max_batch_size = 1024;
  model.max_local_batch_size = 256;
  return model;
}

using protocol::Json;

class WebTest : public QObject {
 protected:
  // An empty store, a page of two files, and nobody who serves them yet.
  void newStore() {
    server.reset();
    home = std::make_unique<QTemporaryDir>();
    qputenv("BATCHSCOPE_DB", path("runs.db").c_str());
    qputenv("XDG_STATE_HOME", path("state").c_str());
    std::filesystem::create_directory(path("page"));
    testing::write_file(path("page/index.html"), "<!doctype html><title>page</title>");
    testing::write_file(path("page/page.js"), "'use strict'");
  }
  void serve(ServerOptions options = {}) {
    options.page = path("page");
    server.reset();
    server = std::make_unique<Server>(options);
  }

  std::string path(const std::string& file) const { return home->filePath(file.c_str()).toStdString(); }

  // Makes a run of a program that is there; with so many steps of "loss" in two generations, a second apart.
  std::string make_run(const std::string& name, int steps = 0,
                       protocol::RunState state = protocol::RunState::finished) const {
    storage::Catalogue catalogue(protocol::catalogue_path());
    protocol::RunSpec spec;
    spec.name = name;
    spec.program = "/bin/true";
    const std::string id = catalogue.create_run(spec);
    catalogue.put_generation(id, {0, 1, "start", kBegin, 0, 1, steps / 2, "", -1, {}, ""});
    catalogue.put_generation(id,
                             {1, 2, "rescale", kBegin + steps / 2, 0, steps / 2 + 1, steps, "", 0.1, {}, ""});
    catalogue.set_progress(id, steps, 1, 2, 0.5, {{"loss", 0.5}});
    catalogue.set_state(id, state);
    if (steps == 0) return id;
    storage::SampleWriter writer(protocol::run_paths(id).samples);
    for (int step = 1; step <= steps; ++step) append(writer, step <= steps / 2 ? 0 : 1, step);
    return id;
  }
  // The step's loss and time.
  static void append(storage::SampleWriter& writer, int generation, int step) {
    writer.append(generation, "loss", step, 1.0 / step);
    writer.append(generation, "time", step, kBegin + step);
    writer.append(generation, "progress", step, 2.0 * step);
  }

  struct Answer {
    int status = 0;
    QByteArray all;
    Json json = nullptr;
  };
  Answer send(const QByteArray& request) const {
    Answer answer;
    answer.all = testing::exchange(server->port(), request);
    answer.status = testing::status(answer.all);
    answer.json = Json::parse(testing::body(answer.all).toStdString(), nullptr, false);
    if (answer.status == 200 && answer.json.is_object()) keep(request, answer.json);
    return answer;
  }
  // Keeps what the server answers for web.types, which compares it with the page's types.
  void keep(const QByteArray& request, const Json& answer) const {
    static std::ofstream file(std::string(ANSWERS "/") + metaObject()->className() + ".jsonl");
    const QByteArray asked = request.left(request.indexOf(" HTTP/")) + ' ' + testing::body(request);
    file << Json{{"request", QString::fromUtf8(asked).trimmed().toStdString()}, {"answer", answer}}.dump()
         << std::endl;
  }
  QByteArray key() const { return "Authorization: Bearer " + QByteArray::fromStdString(server->token()); }
  QByteArray head(const char* method, const std::string& target) const {
    return method + (" " + QByteArray::fromStdString(target)) +
           " HTTP/1.1\r\nHost: localhost:" + QByteArray::number(server->port()) + "\r\n" + key() + "\r\n";
  }
  Answer get(const std::string& target) const { return send(head("GET", target) + "\r\n"); }
  Answer post(const std::string& target, const QByteArray& body, const QByteArray& fields = {}) const {
    return send(head("POST", target) + fields + "Content-Type: application/json\r\nContent-Length: " +
                QByteArray::number(body.size()) + "\r\n\r\n" + body);
  }

  // Shows another token than the owner's, or has more in its head.
  Answer post_by(const QByteArray& secret, const std::string& target, const QByteArray& body,
                 const QByteArray& fields = {}) const {
    return send("POST " + QByteArray::fromStdString(target) + " HTTP/1.1\r\nHost: localhost:" +
                QByteArray::number(server->port()) + "\r\nAuthorization: Bearer " + secret + "\r\n" + fields +
                "Content-Type: application/json\r\nContent-Length: " + QByteArray::number(body.size()) +
                "\r\n\r\n" + body);
  }
  // The run's events about what people by name have asked for.
  static std::vector<std::string> asked_for(const std::string& run) {
    std::vector<std::string> texts;
    for (const storage::Event& event : storage::Catalogue(protocol::catalogue_path()).events(run))
      if (event.text.find("asked for") != std::string::npos) texts.push_back(event.text);
    return texts;
  }

  // Puts a program that does nothing in the place of one of ours.
  void stand_in(const std::string& program) const {
    std::filesystem::create_directories(path("bin"));
    testing::write_file(path("bin/" + program), "#!/bin/sh\n");
    std::filesystem::permissions(path("bin/" + program), std::filesystem::perms::owner_all);
    qputenv("BATCHSCOPE_BIN", path("bin").c_str());
  }

  // Installs a recipe of a program that does nothing.
  void install_toy() const {
    stand_in("toy");
    std::filesystem::create_directories(path("bin/recipes/toy"));
    testing::write_file(path("bin/recipes/toy/recipe.toml"), R"(
name = "toy"
title = "A toy"
description = "Does nothing."
program = "toy"
[[parameter]]
name = "epochs"
type = "integer"
default = 3
min = 1
max = 9
help = "Passes"
[[parameter]]
name = "rule"
type = "choice"
choices = ["adascale", "linear"]
default = "adascale"
[[parameter]]
name = "quiet"
type = "flag"
[[parameter]]
name = "data"
type = "text"
default = ""
)");
  }

  static std::string text(const Json& json) { return json.dump(); }

  static constexpr double kBegin = 1.7e9;  // s since 1970

  std::unique_ptr<QTemporaryDir> home;
  std::unique_ptr<Server> server;
};

}  // namespace batchscope::web
