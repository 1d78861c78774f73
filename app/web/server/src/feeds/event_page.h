// SPDX-License-Identifier: Apache-2.0
//
// A page that gets events: server-sent events over one connection, for one run, several runs, or the lists.
// The id of each event says how far the page is, so that its browser goes on there after a lost connection.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batchscope/http/server.h"

namespace batchscope::web {

class EventPage {
 public:
  using Allowed = std::function<bool()>;

  // Makes a page of these runs; of none: the lists. `after`: the id of the last event that it had, or empty.
  // `allowed`: whether its token still counts.
  EventPage(std::vector<std::string> runs, std::string_view after, Allowed allowed);

  const std::vector<std::string>& runs() const { return runs_; }
  bool is_of_several() const { return runs_.size() > 1; }
  // How far it knew a run when it came; empty: it begins now.
  const std::string& cursor(const std::string& run) { return cursors_[run]; }

  void begin(const http::Stream& stream);
  bool has_begun() const { return stream_.has_value(); }
  bool open() const { return stream_ && stream_->open(); }
  bool allowed() const { return allowed_(); }
  void close();

  // `data` is one line of JSON.
  void tell(const char* event, const std::string& data);
  // The same, after which it knows the run's samples up to here.
  void tell(const char* event, const std::string& data, const std::string& run, const std::string& cursor);
  // Shows that the server is alive, which a connection that hangs does not.
  void beat();

 private:
  std::string id() const;

  const std::vector<std::string> runs_;
  std::map<std::string, std::string> cursors_;  // by run
  const Allowed allowed_;
  std::optional<http::Stream> stream_;
};

}  // namespace batchscope::web
