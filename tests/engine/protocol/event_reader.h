// SPDX-License-Identifier: Apache-2.0
//
// Reads an event file without the writer's help: record framing, CRC-32C bit by bit, protocol buffers by
// their wire format. Throws std::runtime_error for anything that is not as it should be.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace batchscope::testing {

struct Event {
  double wall_time = 0;
  std::int64_t step = 0;
  std::string file_version;
  std::map<std::string, float> scalars;
};

class EventReader {
 public:
  static std::vector<Event> read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    EventReader reader(bytes);
    std::vector<Event> events;
    while (!reader.rest_.empty()) events.push_back(parse_event(reader.record()));
    return events;
  }

  static std::uint32_t crc32c(std::string_view bytes) {
    std::uint32_t crc = 0xffffffff;
    for (const char byte : bytes) {
      crc ^= static_cast<unsigned char>(byte);
      for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? (crc >> 1) ^ 0x82f63b78 : crc >> 1;
    }
    return crc ^ 0xffffffff;
  }

 private:
  struct Field {
    std::uint64_t number, type;
    std::uint64_t integer = 0;  // a varint's or the bits of a fixed one
    std::string_view bytes;
  };

  explicit EventReader(std::string_view bytes) : rest_(bytes) {}

  static void check(bool fine, const char* what) {
    if (!fine) throw std::runtime_error(what);
  }

  std::string_view take(std::size_t count) {
    check(count <= rest_.size(), "cut short");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  static std::uint64_t little_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value * 256 + static_cast<unsigned char>(bytes[i]);
    return value;
  }

  void check_crc(std::string_view bytes) {
    const auto masked = static_cast<std::uint32_t>(little_endian(take(4))) - 0xa282ead8u;
    check((masked >> 17 | masked << 15) == crc32c(bytes), "wrong checksum");
  }

  std::string_view record() {
    const std::string_view length = take(8);
    check_crc(length);
    const std::string_view data = take(little_endian(length));
    check_crc(data);
    return data;
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw std::runtime_error("a varint that does not end");
  }

  Field field() {
    const std::uint64_t key = varint();
    Field field{key >> 3, key & 7, 0, {}};
    switch (field.type) {
      case 0: field.integer = varint(); break;
      case 1: field.integer = little_endian(take(8)); break;
      case 2: field.bytes = take(varint()); break;
      case 5: field.integer = little_endian(take(4)); break;
      default: throw std::runtime_error("unknown wire type");
    }
    return field;
  }

  static std::vector<Field> fields(std::string_view message) {
    EventReader reader(message);
    std::vector<Field> all;
    while (!reader.rest_.empty()) all.push_back(reader.field());
    return all;
  }

  static Event parse_event(std::string_view message) {
    Event event;
    for (const Field& field : fields(message)) {
      if (field.number == 1 && field.type == 1)
        std::memcpy(&event.wall_time, &field.integer, sizeof event.wall_time);
      else if (field.number == 2 && field.type == 0)
        event.step = static_cast<std::int64_t>(field.integer);
      else if (field.number == 3 && field.type == 2)
        event.file_version = field.bytes;
      else if (field.number == 5 && field.type == 2)
        for (const Field& value : fields(field.bytes)) add_scalar(value, event);
      else
        throw std::runtime_error("an Event has an unknown field");
    }
    return event;
  }

  static void add_scalar(const Field& value, Event& event) {
    check(value.number == 1 && value.type == 2, "a Summary has an unknown field");
    std::string tag;
    float number = 0;
    for (const Field& field : fields(value.bytes)) {
      check((field.number == 1 && field.type == 2) || (field.number == 2 && field.type == 5),
            "a Value has an unknown field");
      if (field.number == 1) tag = field.bytes;
      const auto bits = static_cast<std::uint32_t>(field.integer);
      if (field.number == 2) std::memcpy(&number, &bits, sizeof number);
    }
    check(event.scalars.emplace(tag, number).second, "a tag comes twice");
  }

  std::string_view rest_;
};

}  // namespace batchscope::testing
