// SPDX-License-Identifier: Apache-2.0
//
// README claims that ten lines make a LibTorch loop elastic, START.md shows them, and PORTING.md shows the
// way in five steps. What they quote is read off the steps in examples/porting.
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>

#include "test_case.h"

namespace {

QString source(const QString& path) { return QDir(qEnvironmentVariable("BATCHSCOPE_SOURCE")).filePath(path); }

QString contents(const QString& path) {
  QFile file(source(path));
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

const QRegularExpression kChanged("^[+-]");

// The steps, by step.
QStringList steps() {
  return QDir(source("examples/porting")).entryList({"step*.cpp"}, QDir::Files, QDir::Name);
}

// The lines in which the steps of two steps differ, as diff marks them.
QStringList difference(int from, int to) {
  QProcess diff;
  diff.setWorkingDirectory(source("examples/porting"));
  diff.start("diff", {"-u", steps().at(from), steps().at(to)});
  diff.waitForFinished();
  return QString::fromUtf8(diff.readAllStandardOutput()).split('\n').mid(2).filter(kChanged);
}

// Returns the changed lines of the first diff in this text.
QStringList quoted(const QString& text) {
  return text.section("```diff\n", 1, 1).section("```", 0, 0).split('\n').filter(kChanged);
}

}  // namespace

class TestPorting : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QCOMPARE(steps().size(), 6); }

  void ten_lines_make_the_loop_elastic() {
    QCOMPARE(difference(0, 4).filter(QRegularExpression("^\\+")).size(), 10);  // six of them in place of
    QCOMPARE(difference(0, 4).filter(QRegularExpression("^-")).size(), 6);
    QVERIFY(contents("README.md").contains("ten lines", Qt::CaseInsensitive));
  }

  void the_first_program_does_not_know_the_engine() {
    // Names of the example's own data and network apart.
    for (const QString& line : contents("examples/porting/" + steps().at(0)).split('\n'))
      QVERIFY2(!line.contains("batchscope::") || line.contains("batchscope::digits::"), qPrintable(line));
  }

  void the_start_page_shows_the_real_difference() {
    QCOMPARE(quoted(contents("app/START.md").section("examples/porting/" + steps().at(4), 1)),
             difference(0, 4));
  }

  void every_step_of_the_porting_guide_shows_its_difference() {
    const QString guide = contents("engine/train/PORTING.md");
    for (int step = 1; step < steps().size(); ++step) {
      const QString section = guide.section(QString("\n## %1. ").arg(step), 1, 1).section("\n## ", 0, 0);
      QVERIFY2(section.contains("/examples/porting/" + steps().at(step)), qPrintable(steps().at(step)));
      QCOMPARE(quoted(section), difference(step - 1, step));
    }
    QCOMPARE(guide.count("```"), 2 * 5);  // and nothing is quoted that is not looked up
  }
};

BATCHSCOPE_TEST(TestPorting)
#include "test_porting.moc"
