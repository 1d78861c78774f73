// SPDX-License-Identifier: Apache-2.0
//
// Finds the lines of a log by a time.
#include <QTemporaryDir>
#include <fstream>

#include "batchscope/run/log_times.h"
#include "log/log_times.h"
#include "test_case.h"

using namespace batchscope::run;

class TestLogTimes : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aTimeIsFoundAtTheStartOfALine() {
    const QTemporaryDir folder;
    const std::filesystem::path log = folder.filePath("g0-r0.log").toStdString();
    QCOMPARE(log_offset(log, 100), 0);
    QVERIFY(!log_time(log, 0));
    LogTimes times;
    times.note(log, 900);  // which is not there yet
    QVERIFY(!std::filesystem::exists(log.string() + ".times"));
    std::ofstream out(log, std::ios::binary);
    std::vector<std::int64_t> starts;  // of the lines of second i
    for (int second = 0; second < 100; ++second) {
      starts.push_back(out.tellp());
      if (second % 10 != 9) out << "line of second " << second << "\n" << std::flush;
      times.note(log, 1000 + second);
    }
    QCOMPARE(std::filesystem::file_size(log.string() + ".times"), 90u * 16u);  // none where nothing came
    QCOMPARE(std::filesystem::status(log.string() + ".times").permissions(),
             std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    QCOMPARE(log_offset(log, 0), 0);
    QCOMPARE(log_offset(log, 1001), starts[1]);
    QCOMPARE(log_offset(log, 1042.5), starts[43]);
    QCOMPARE(log_offset(log, 1098), starts[98]);
    QCOMPARE(log_offset(log, 5000), static_cast<std::int64_t>(out.tellp()));
    QCOMPARE(log_time(log, starts[42]), std::optional(1042.0));
    QCOMPARE(log_time(log, starts[42] + 3), std::optional(1042.0));
    QCOMPARE(log_time(log, out.tellp()), std::optional<double>());

    // A line that is half there belongs to the second in which it began.
    const std::int64_t half = out.tellp();
    out << std::string(10'000, 'x') << std::flush;
    times.note(log, 2000);
    out << "\nnext\n" << std::flush;
    times.note(log, 2001);
    QCOMPARE(log_offset(log, 2001), half);
    QCOMPARE(log_offset(log, 2002), static_cast<std::int64_t>(out.tellp()));
  }

  // A supervisor that takes over goes on with the times.
  void timesGoOnInANewProcess() {
    const QTemporaryDir folder;
    const std::filesystem::path log = folder.filePath("g0-r0.log").toStdString();
    std::ofstream out(log, std::ios::binary);
    for (const double time : {1.0, 2.0, 3.0}) {
      out << "line\n" << std::flush;
      LogTimes().note(log, time);
    }
    QCOMPARE(log_offset(log, 3), 10);
  }
};

BATCHSCOPE_TEST(TestLogTimes)
#include "test_log_times.moc"
