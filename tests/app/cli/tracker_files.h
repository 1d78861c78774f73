// SPDX-License-Identifier: Apache-2.0
//
// Files of other trackers, made byte by byte: messages of protocol buffers, TensorBoard's records and W&B's
// log.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "batchscope/protocol/bytes.h"
#include "batchscope/protocol/event_file.h"

namespace batchscope::cli {

inline std::string varintField(int number, std::uint64_t value) {
  std::string bytes;
  protocol::put_varint(bytes, static_cast<std::uint64_t>(number) << 3);
  protocol::put_varint(bytes, value);
  return bytes;
}

inline std::string bytesField(int number, std::string_view text) {
  std::string bytes;
  protocol::put_varint(bytes, static_cast<std::uint64_t>(number) << 3 | 2);
  protocol::put_varint(bytes, text.size());
  return bytes.append(text);
}

inline std::string floatField(int number, float value) {
  std::string bytes;
  protocol::put_varint(bytes, static_cast<std::uint64_t>(number) << 3 | 5);
  protocol::put(bytes, value);
  return bytes;
}

inline std::string doubleField(int number, double value) {
  std::string bytes;
  protocol::put_varint(bytes, static_cast<std::uint64_t>(number) << 3 | 1);
  protocol::put(bytes, value);
  return bytes;
}

// A record of an event file.
inline std::string eventRecord(std::string_view event) {
  std::string record;
  protocol::put(record, static_cast<std::uint64_t>(event.size()));
  protocol::put(record, protocol::masked_crc32c(record));
  record += event;
  protocol::put(record, protocol::masked_crc32c(event));
  return record;
}

// An event with one value of a summary.
inline std::string eventWith(std::int64_t step, double wall, const std::string& value) {
  return eventRecord(doubleField(1, wall) + varintField(2, static_cast<std::uint64_t>(step)) +
                     bytesField(5, bytesField(1, value)));
}

inline std::string simpleEvent(std::int64_t step, double wall, std::string_view tag, float value) {
  return eventWith(step, wall, bytesField(1, tag) + floatField(2, value));
}

// As TensorFlow 2 writes scalars.
inline std::string tensorEvent(std::int64_t step, double wall, std::string_view tag, float value) {
  std::string content;
  protocol::put(content, value);
  return eventWith(step, wall,
                   bytesField(1, tag) +
                       bytesField(8, varintField(1, 1) + bytesField(2, "") + bytesField(4, content)) +
                       bytesField(9, bytesField(1, bytesField(1, "scalars"))));
}

// Hyperparameters, as the plugin `hparams` keeps them.
inline std::string hparamsEvent(std::string_view name, double value) {
  const std::string entry = bytesField(1, name) + bytesField(2, doubleField(2, value));
  const std::string plugin = bytesField(3, bytesField(1, entry));
  return eventWith(0, 1.7e9,
                   bytesField(1, "_hparams_/session_start_info") +
                       bytesField(9, bytesField(1, bytesField(1, "hparams") + bytesField(2, plugin))));
}

// W&B's log, with its heading.
class WandbLog {
 public:
  // A record, in as many fragments as its blocks need.
  void add(std::string_view record) {
    constexpr std::size_t kBlock = 32'768, kHeading = 7;
    bool isFirst = true;
    do {
      const std::size_t left = kBlock - bytes.size() % kBlock;
      if (left < kHeading) {
        bytes.append(left, '\0');
        continue;
      }
      const std::string_view part = record.substr(0, left - kHeading);
      record.remove_prefix(part.size());
      const char kind = record.empty() ? (isFirst ? 1 : 4) : (isFirst ? 2 : 3);
      const std::string checked = std::string(1, kind).append(part);
      protocol::put(bytes, static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(checked.data()),
                                                            static_cast<uInt>(checked.size()))));
      protocol::put(bytes, static_cast<std::uint16_t>(part.size()));
      bytes += checked;
      isFirst = false;
    } while (!record.empty());
  }

  static std::string item(std::string_view key, std::string_view json) {
    return bytesField(1, bytesField(1, key) + bytesField(16, json));
  }

  std::string bytes{":W&B\xE1\xBE\0", 7};
};

}  // namespace batchscope::cli
