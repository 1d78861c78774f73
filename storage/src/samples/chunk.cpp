// SPDX-License-Identifier: Apache-2.0
//
// Packing. Runs of steps are pairs of varints (gap, length): the gap from the last step of the run
// before (for the first run: from first_step, so 0), and how many consecutive steps follow. A gap of 0
// repeats a step.
#include "samples/chunk.h"

#include <zlib.h>

#include <algorithm>

#include "batchscope/protocol/bytes.h"

namespace batchscope::storage {

using protocol::get, protocol::put, protocol::put_varint, protocol::take_varint;

namespace {

bool consecutive(std::span<const Sample> samples) {
  for (std::size_t i = 1; i < samples.size(); ++i)
    if (samples[i].step - samples[i - 1].step != 1) return false;
  return true;
}

std::string pack_steps(std::span<const Sample> samples) {
  std::string bytes;
  std::int64_t last = samples.front().step;
  for (std::size_t begin = 0, end = 0; begin < samples.size(); begin = end) {
    end = begin + 1;
    while (end < samples.size() && samples[end].step - samples[end - 1].step == 1) ++end;
    put_varint(bytes, static_cast<std::uint64_t>(samples[begin].step - last));
    put_varint(bytes, end - begin);
    last = samples[end - 1].step;
  }
  return bytes;
}

// Checked by its checksum: the runs are as pack_steps wrote them.
void unpack_steps(std::string_view runs, std::int64_t step, std::vector<Sample>& samples) {
  for (std::size_t i = 0; i < samples.size();) {
    const auto gap = take_varint(runs);
    const auto length = take_varint(runs);
    if (!gap || !length) return;
    step += static_cast<std::int64_t>(*gap);
    for (std::uint64_t k = 0; k < *length && i < samples.size(); ++k) samples[i++].step = step++;
    --step;
  }
}

std::uint32_t checksum_of_data(const Chunk& chunk) { return crc32(chunk.values, crc32(chunk.steps)); }

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t crc) {
  return static_cast<std::uint32_t>(
      ::crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::uint32_t Chunk::checksum() const {
  std::string header;
  put(header, track);
  put(header, summary.first_step);
  put(header, summary.last_step);
  put(header, static_cast<std::int64_t>(summary.count));
  // SQLite keeps -0 in a column as 0, which adding 0 makes of it too.
  for (const double bound : {summary.min, summary.max, summary.mean}) put(header, bound + 0.0);
  put(header, data_checksum);
  return crc32(header);
}

Chunk pack(std::int64_t track, std::span<const Sample> samples) {
  Chunk chunk;
  chunk.track = track;
  chunk.summary = summarize(samples);
  if (!consecutive(samples)) chunk.steps = pack_steps(samples);
  chunk.values.reserve(samples.size() * sizeof(double));
  for (const Sample& sample : samples) put(chunk.values, sample.value);
  chunk.data_checksum = checksum_of_data(chunk);
  return chunk;
}

std::optional<std::vector<Sample>> unpack(const Chunk& chunk) {
  if (checksum_of_data(chunk) != chunk.data_checksum) return std::nullopt;
  if (chunk.values.size() != chunk.summary.count * sizeof(double)) return std::nullopt;
  std::vector<Sample> samples(chunk.summary.count);
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] = {chunk.summary.first_step + static_cast<std::int64_t>(i),
                  get<double>(chunk.values, i * sizeof(double))};
  if (!chunk.steps.empty()) unpack_steps(chunk.steps, chunk.summary.first_step, samples);
  return samples;
}

void sort_by_step(std::vector<Sample>& samples) {
  const auto by_step = [](const Sample& a, const Sample& b) { return a.step < b.step; };
  if (!std::is_sorted(samples.begin(), samples.end(), by_step))
    std::stable_sort(samples.begin(), samples.end(), by_step);
}

}  // namespace batchscope::storage
