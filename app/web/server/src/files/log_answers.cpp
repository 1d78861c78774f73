// SPDX-License-Identifier: Apache-2.0
#include "files/log_answers.h"

#include <algorithm>

#include "answer.h"
#include "files/log_file.h"
#include "files/plain_file.h"

namespace batchscope::web {
namespace {

using protocol::Json, protocol::LogName;

constexpr std::size_t kMostText = 64 << 10;  // bytes of one answer

// Returns the number of bytes at the end of the text that begin a character whose other bytes it lacks: 0 to
// 3.
std::size_t unfinished(const std::string& text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

// Half a character waits for its other half.
std::string whole_characters(std::string text) {
  if (const std::size_t half_character = unfinished(text); half_character < text.size())
    text.resize(text.size() - half_character);
  return text;
}

}  // namespace

Json log_json(Store& store, const std::string& id, const http::Request& request) {
  store.run(id);
  const std::set<LogName> logs = logs_of(id);
  const LogName wanted = log_in(request, logs);
  const std::int64_t from = whole_in(request, "from", 0, INT64_MAX, 0);
  Json files = Json::array();
  for (const LogName& name : logs) files.push_back({{"generation", name.generation}, {"rank", name.rank}});
  std::string text;
  std::int64_t size = 0;
  if (!logs.empty()) {
    const PlainFile file(protocol::run_paths(id).log_file(wanted.generation, wanted.rank));
    text = whole_characters(file.read(from, kMostText));
    size = file.size();
  }
  return {{"generation", wanted.generation},
          {"rank", wanted.rank},
          {"next", std::min(from, size) + static_cast<std::int64_t>(text.size())},
          {"size", size},
          {"text", std::move(text)},
          {"files", std::move(files)}};
}

}  // namespace batchscope::web
