// SPDX-License-Identifier: Apache-2.0
//
// Files of a run that a client keeps: its record, as `batchscope export` writes it, what a replica printed,
// and what its program wrote. They are sent as they are read, each piece once the one before was taken, so
// that a file of any size takes the same memory and no file is made on the disk. A transfer that cannot be
// completed is broken off.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "batchscope/http/request.h"
#include "batchscope/http/server.h"
#include "store/store.h"

namespace batchscope::web {

class Downloads {
 public:
  // Whether the caller's token still counts.
  using Allowed = std::function<bool()>;

  // `program`: `batchscope`, which exports.
  explicit Downloads(std::string program);
  // Breaks off what is being sent.
  ~Downloads();
  Downloads(const Downloads&) = delete;
  Downloads& operator=(const Downloads&) = delete;

  // ?format=jsonl, csv, json or html. Throws http::Fault where too many files are being sent.
  void send_record(const std::string& run, const http::Request& request, Allowed allowed,
                   const http::Reply& reply);
  // ?generation=0&rank=0, as log_json reads them. Throws the same.
  void send_log(const std::string& run, const http::Request& request, Allowed allowed,
                const http::Reply& reply);
  // ?path=share/model.bin, as run_files.h has it. Throws the same.
  void send_file(const std::string& run, const http::Request& request, Allowed allowed,
                 const http::Reply& reply);

 private:
  // Returns the next piece, empty at the end; throws Error where the rest is missing.
  using Read = std::function<std::string()>;
  struct File {
    http::Response head = {};
    Read read = {};
  };
  struct Transfer;

  void start(Allowed allowed, const http::Reply& reply, std::function<File(Store&)> open);
  void read_on(const std::shared_ptr<Transfer>& transfer);
  void send(const std::shared_ptr<Transfer>& transfer);

  const std::string program_;
  std::atomic<bool> ends_ = false;
  std::atomic<int> running_ = 0;
  QObject home_;
  QThreadPool threads_;
};

}  // namespace batchscope::web
