// SPDX-License-Identifier: Apache-2.0
//
// Event files, read back by a parser of the test's own.
#include <QSysInfo>
#include <QTemporaryDir>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/event_file.h"
#include "event_reader.h"
#include "storage/full_disk.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::protocol;
using batchscope::testing::Event;
using batchscope::testing::EventReader;

namespace {

// Where the second record begins: behind the first one's length, checksum, data and checksum.
std::uintmax_t second_record(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return 8 + 4 + static_cast<std::uintmax_t>(in.get()) + 4;
}

}  // namespace

class TestEventFile : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void checksums() {
    // RFC 3720, appendix B.4: 32 zero bytes, 32 bytes of ones; and the usual check value.
    QCOMPARE(EventReader::crc32c(std::string(32, '\0')), 0x8a9136aau);
    QCOMPARE(EventReader::crc32c(std::string(32, '\xff')), 0x62a8ab43u);
    QCOMPARE(EventReader::crc32c("123456789"), 0xe3069283u);
    for (const std::string& bytes : {std::string(), std::string("123456789"), std::string(1000, '\x81')}) {
      const std::uint32_t crc = EventReader::crc32c(bytes);
      QCOMPARE(masked_crc32c(bytes), ((crc >> 15) | (crc << 17)) + 0xa282ead8u);
    }
  }

  void readsBack() {
    const QTemporaryDir directory;
    EventFile file(directory.path().toStdString() + "/not/there/yet");
    const float infinity = std::numeric_limits<float>::infinity();
    file.add(1, 1.7e9 + 0.25, {{"gain", 1.5}, {"validation/äöü", -1e-30}});
    file.add(std::int64_t{1} << 40, 1.7e9, {{"odd", std::nan("")}, {"big", infinity}});
    file.add(3, 0, {{std::string(300, 'n'), 0.0}});
    file.add(4, 0, {});

    const std::vector<Event> events = EventReader::read(file.path());
    const QString name = QString::fromStdString(file.path().filename().string());
    QVERIFY2(
        name.startsWith("events.out.tfevents.") && name.contains("." + QSysInfo::machineHostName() + "."),
        qPrintable(name));
    QCOMPARE(events.size(), std::size_t(5));
    QCOMPARE(events[0].file_version, std::string("brain.Event:2"));
    QVERIFY(events[0].wall_time > 1.6e9);
    QCOMPARE(events[1].wall_time, 1.7e9 + 0.25);
    QCOMPARE(events[1].step, std::int64_t(1));
    QVERIFY(events[1].scalars == (std::map<std::string, float>{{"gain", 1.5f}, {"validation/äöü", -1e-30f}}));
    QCOMPARE(events[2].step, std::int64_t(1) << 40);
    QVERIFY(std::isnan(events[2].scalars.at("odd")));
    QCOMPARE(events[2].scalars.at("big"), infinity);
    QCOMPARE(events[3].scalars.begin()->first, std::string(300, 'n'));
    QVERIFY(events[4].scalars.empty());
  }

  // The parser that everything here relies on sees every byte that is not what was written.
  void damageIsNoticed() {
    const QTemporaryDir directory;
    EventFile file(directory.path().toStdString());
    file.add(1, 1.7e9, {{"gain", 1.5}, {"progress", 3}});
    const std::string copy = directory.filePath("copy").toStdString();
    const auto size = std::filesystem::file_size(file.path());
    for (std::uintmax_t at = 0; at < size; ++at) {
      std::filesystem::copy_file(file.path(), copy, std::filesystem::copy_options::overwrite_existing);
      std::fstream out(copy, std::ios::in | std::ios::out | std::ios::binary);
      out.seekg(static_cast<std::streamoff>(at));
      const int byte = out.get();
      out.seekp(static_cast<std::streamoff>(at));
      out.put(static_cast<char>(byte ^ 1));
      out.close();
      QVERIFY_EXCEPTION_THROWN(EventReader::read(copy), std::runtime_error);
      std::filesystem::resize_file(copy, at);
      if (at > 0 && at != second_record(file.path()))
        QVERIFY_EXCEPTION_THROWN(EventReader::read(copy), std::runtime_error);
    }
  }

  // TensorBoard finds them by name, and reads several files of one directory as one run.
  void everyFileHasANameOfItsOwn() {
    const QTemporaryDir directory;
    const EventFile one(directory.path().toStdString()), other(directory.path().toStdString());
    QVERIFY(one.path() != other.path());
    QVERIFY(one.path().filename().string().starts_with("events.out.tfevents."));
  }

  void aFullDiskIsTold() {
    const QTemporaryDir directory;
    EventFile file(directory.path().toStdString());
    const std::uint64_t size = std::filesystem::file_size(file.path());
    const storage::test::FullDisk full(size + 5);
    VERIFY_THROWS("io", file.path().string() + ": the disk is full", file.add(1, 1.7e9, {{"gain", 1.5}}));
    VERIFY_THROWS("io", file.path().string() + ": File too large", file.add(1, 1.7e9, {{"gain", 1.5}}));
  }

  void aDirectoryThatCannotBe() { QVERIFY_EXCEPTION_THROWN(EventFile("/dev/null/events"), Error); }
};

BATCHSCOPE_TEST(TestEventFile)
#include "test_event_file.moc"
