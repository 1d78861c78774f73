// SPDX-License-Identifier: Apache-2.0
#include "samples/samples_schema.h"

namespace batchscope::storage {

const Schema& samples_schema() {
  static const Schema schema{0x42537361,  // "BSsa"
                             "the samples of a run",
                             {R"sql(
    CREATE TABLE track (
      id INTEGER PRIMARY KEY,
      series TEXT NOT NULL,
      generation INTEGER NOT NULL,
      count INTEGER NOT NULL,
      UNIQUE (series, generation)
    ) STRICT;

    CREATE TABLE batch (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      track INTEGER NOT NULL REFERENCES track (id),
      first_step INTEGER NOT NULL,
      last_step INTEGER NOT NULL,
      count INTEGER NOT NULL,
      min REAL,
      max REAL,
      mean REAL,
      checksum INTEGER NOT NULL,
      data_checksum INTEGER NOT NULL,
      steps BLOB NOT NULL,
      data BLOB NOT NULL
    ) STRICT;

    CREATE TABLE chunk (
      track INTEGER NOT NULL REFERENCES track (id),
      number INTEGER NOT NULL,
      first_step INTEGER NOT NULL,
      last_step INTEGER NOT NULL,
      count INTEGER NOT NULL,
      min REAL,
      max REAL,
      mean REAL,
      checksum INTEGER NOT NULL,
      data_checksum INTEGER NOT NULL,
      steps BLOB NOT NULL,
      data BLOB NOT NULL,
      PRIMARY KEY (track, number)
    ) STRICT;
    CREATE INDEX chunk_by_step ON chunk (track, first_step, number);

    CREATE TABLE tier (
      track INTEGER NOT NULL REFERENCES track (id),
      level INTEGER NOT NULL,
      number INTEGER NOT NULL,
      checksum INTEGER NOT NULL,
      data BLOB NOT NULL,
      PRIMARY KEY (track, level, number)
    ) STRICT;

    CREATE TABLE damaged (
      id INTEGER PRIMARY KEY,
      found REAL NOT NULL,
      track INTEGER NOT NULL,
      first_step INTEGER NOT NULL,
      last_step INTEGER NOT NULL,
      count INTEGER NOT NULL,
      min REAL,
      max REAL,
      mean REAL,
      checksum INTEGER NOT NULL,
      data_checksum INTEGER NOT NULL,
      steps BLOB NOT NULL,
      data BLOB NOT NULL
    ) STRICT;
  )sql"}};
  return schema;
}

std::optional<std::vector<Sample>> StoredChunk::samples() const {
  return sound ? unpack(chunk) : std::nullopt;
}

StoredChunk stored_chunk(const Query& row) {
  StoredChunk stored;
  stored.chunk.track = row.integer(0);
  Summary& summary = stored.chunk.summary;
  summary.first_step = row.integer(1);
  summary.last_step = row.integer(2);
  summary.count = static_cast<std::uint32_t>(row.integer(3));
  summary.min = row.real(4);
  summary.max = row.real(5);
  summary.mean = row.real(6);
  stored.chunk.data_checksum = static_cast<std::uint32_t>(row.integer(8));
  stored.chunk.steps = row.blob(9);
  stored.chunk.values = row.blob(10);
  stored.sound = stored.chunk.checksum() == static_cast<std::uint32_t>(row.integer(7));
  return stored;
}

}  // namespace batchscope::storage
