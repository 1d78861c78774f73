// SPDX-License-Identifier: Apache-2.0
#include "files/downloads.h"

#include <fmt/core.h>

#include <map>
#include <optional>
#include <utility>

#include "answer.h"
#include "batchscope/common/data_forms.h"
#include "batchscope/common/say.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "files/export_process.h"
#include "files/log_file.h"
#include "files/plain_file.h"
#include "files/run_files.h"

namespace batchscope::web {
namespace {

using common::say;

constexpr int kMostTransfers = 4;

const std::map<std::string, std::string> kTypes{{"jsonl", "application/jsonl"},
                                                {"csv", "text/csv; charset=utf-8"},
                                                {"json", "application/json"},
                                                {"html", "text/html; charset=utf-8"}};

http::Response head_of(const std::string& type, const std::string& name,
                       std::optional<std::int64_t> bytes = {}) {
  http::Response head{200, "", type};
  head.fields = {{"Cache-Control", "no-store"},
                 {"Content-Disposition", "attachment; filename=\"" + name + "\""}};
  if (bytes) head.fields.emplace_back("Content-Length", std::to_string(*bytes));
  return head;
}

}  // namespace

struct Downloads::Transfer {
  explicit Transfer(std::atomic<int>& all) : running(all) { ++running; }
  ~Transfer() { --running; }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  std::atomic<int>& running;
  Allowed allowed = {};
  File file = {};
  std::string piece = {};  // to be sent
  bool failed = false;     // there is no next one, though there should be
  std::optional<http::Stream> stream = {};
};

Downloads::Downloads(std::string program) : program_(std::move(program)) {
  threads_.setMaxThreadCount(kMostTransfers);
}

Downloads::~Downloads() {
  ends_ = true;
  threads_.clear();
  threads_.waitForDone();
}

void Downloads::send_record(const std::string& run, const http::Request& request, Allowed allowed,
                            const http::Reply& reply) {
  const std::string format = request.value("format").value_or("jsonl");
  const auto type = kTypes.find(format);
  if (type == kTypes.end())
    throw Error(ErrorKind::usage, fmt::format("format={} is not one of jsonl, csv, json, html", format));
  start(std::move(allowed), reply, [this, run, type](Store& store) {
    const storage::Run found = store.run(run);
    storage::require_sound(found);
    const auto process = std::make_shared<ExportProcess>(
        program_, std::vector<std::string>{"export", found.id, "--format", type->first, "--output", "-"});
    return File{head_of(type->second, common::exportName(found, "." + type->first)),
                [this, process] { return process->read(ends_); }};
  });
}

void Downloads::send_log(const std::string& run, const http::Request& request, Allowed allowed,
                         const http::Reply& reply) {
  start(std::move(allowed), reply, [run, request](Store& store) {
    const storage::Run found = store.run(run);
    const auto logs = logs_of(found.id);
    const protocol::LogName name = log_in(request, logs);
    if (logs.empty()) throw Error(ErrorKind::not_found, say("the replicas of run {} have no logs yet", run));
    const auto log =
        std::make_shared<const PlainFile>(protocol::run_paths(found.id).log_file(name.generation, name.rank));
    return File{head_of("text/plain; charset=utf-8",
                        common::exportName(
                            found, fmt::format("-generation-{}-replica-{}.txt", name.generation, name.rank)),
                        log->size()),
                pieces_of(log)};
  });
}

void Downloads::send_file(const std::string& run, const http::Request& request, Allowed allowed,
                          const http::Reply& reply) {
  start(std::move(allowed), reply, [run, path = request.value("path").value_or("")](Store& store) {
    const storage::Run found = store.run(run);
    RunFile file = open_file(found, path);
    const std::string name = common::exportName(found.name + "-" + found.id + "-" + file.name, "");
    return File{head_of("application/octet-stream", name, file.bytes), std::move(file.read)};
  });
}

void Downloads::start(Allowed allowed, const http::Reply& reply, std::function<File(Store&)> open) {
  if (running_ >= kMostTransfers)
    throw http::Fault{503,
                      say("{} files are being sent already: try again when one has ended", kMostTransfers)};
  auto transfer = std::make_shared<Transfer>(running_);
  transfer->allowed = std::move(allowed);
  threads_.start([this, reply, transfer, open = std::move(open)] {
    // Nothing is promised before the first piece is there.
    const http::Response failure = answer_of([&] {
      Store store;
      transfer->file = open(store);
      transfer->piece = transfer->file.read();
      return http::Response();
    });
    const auto begin = [this, reply, transfer, failure] {
      if (failure.status != 200) return reply(failure);
      transfer->stream = reply.stream(transfer->file.head, [] {});
      send(transfer);
    };
    QMetaObject::invokeMethod(&home_, begin, Qt::QueuedConnection);
  });
}

void Downloads::read_on(const std::shared_ptr<Transfer>& transfer) {
  threads_.start([this, transfer] {
    try {
      transfer->piece = transfer->file.read();
    } catch (const std::exception&) {
      transfer->failed = true;
    }
    QMetaObject::invokeMethod(
        &home_, [this, transfer] { send(transfer); }, Qt::QueuedConnection);
  });
}

void Downloads::send(const std::shared_ptr<Transfer>& transfer) {
  const http::Stream& stream = *transfer->stream;
  if (transfer->failed || !transfer->allowed()) return stream.abort();
  if (transfer->piece.empty()) return stream.close();
  if (stream.send(transfer->piece)) stream.when_taken([this, transfer] { read_on(transfer); });
}

}  // namespace batchscope::web
