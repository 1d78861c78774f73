// SPDX-License-Identifier: Apache-2.0
//
// A samples.db in which one bit is another: it is found by whoever reads the samples or by a check of the
// file, or nobody reads anything else for it.
#include "batchscope/storage/maintenance.h"
#include "script.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;
namespace fs = std::filesystem;

namespace {

// A full chunk and an unfinished one, with steps that are consecutive and such that are not, in two
// generations, and a tail of batches, all in one file, as of a writer that was killed.
void write_samples(const fs::path& folder, const fs::path& file) {
  const fs::path live = folder / "live/samples.db";
  {
    SampleWriter writer(live);
    for (std::int64_t step = 1; step <= 1100; ++step)
      writer.append(0, "loss", step + step / 100, 1.0 / static_cast<double>(step));
    for (std::int64_t step = 1; step <= 40; ++step) writer.append(1, "learning_rate", step, 0.1);
  }
  SampleWriter writer(live);
  writer.append(0, "loss", 1200, std::vector<double>(5, 0.5));
  writer.append(1, "learning_rate", 50, 0.2);
  writer.append(1, "new", 51, 3.0);
  writer.commit();
  for (const char* end : {"", "-wal"}) fs::copy_file(live.string() + end, file.string() + end);
  QVERIFY(meddle(file, "PRAGMA wal_checkpoint(TRUNCATE)"));
}

Contents read_all(const fs::path& file) {
  SampleReader reader(file);
  return contents_of(reader);
}

}  // namespace

class TestFlippedBits : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aFlippedBitIsFoundOrHarmless() {
    const Folder folder;
    const fs::path file = folder / "samples.db";
    write_samples(folder.path(), file);
    const Contents whole = read_all(file);
    QCOMPARE(whole.size(), 3u);
    QVERIFY(check(file).empty());
    QVERIFY(check_series(file).faults.empty());
    const auto size = static_cast<std::streamoff>(fs::file_size(file));
    std::fstream bytes(file, std::ios::binary | std::ios::in | std::ios::out);
    const auto flip = [&](std::streamoff at) {
      char byte = 0;
      bytes.seekg(at);
      bytes.get(byte);
      bytes.seekp(at);
      bytes.put(static_cast<char>(byte ^ (1 << (at / kStride % 8))));
      bytes.flush();
    };
    QStringList unnoticed;
    for (std::streamoff at = 0; at < size; at += kStride) {
      flip(at);
      Contents found;
      const auto damage = error_of([&] { found = read_all(file); });
      if (!damage && !same(found, whole) && check(file).empty() && check_series(file).faults.empty())
        unnoticed << QString::number(at);
      flip(at);
    }
    QVERIFY2(unnoticed.empty(), qPrintable(unnoticed.join(' ')));
  }

 private:
  static constexpr std::streamoff kStride = 11;
};

BATCHSCOPE_TEST(TestFlippedBits)
#include "test_flipped_bits.moc"
