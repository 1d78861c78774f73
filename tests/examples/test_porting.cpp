// SPDX-License-Identifier: Apache-2.0
//
// README claims that ten lines make a LibTorch loop elastic, and shows them. Both are read off the two
// programs in examples/porting.
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>

namespace {

QString source(const QString& path) { return QDir(qEnvironmentVariable("BATCHSCOPE_SOURCE")).filePath(path); }

QString contents(const QString& path) {
  QFile file(source(path));
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

const QRegularExpression kChanged("^[+-]");

// The lines in which the programs differ, as diff marks them.
QStringList difference() {
  QProcess diff;
  diff.start("diff", {"-u", source("examples/porting/plain.cpp"), source("examples/porting/elastic.cpp")});
  diff.waitForFinished();
  return QString::fromUtf8(diff.readAllStandardOutput()).split('\n').mid(2).filter(kChanged);
}

}  // namespace

class PortingTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void ten_lines_make_the_loop_elastic() {
    QCOMPARE(difference().filter(QRegularExpression("^\\+")).size(), 10);  // six of them in place of
    QCOMPARE(difference().filter(QRegularExpression("^-")).size(), 6);
    QVERIFY(contents("README.md").contains("ten lines", Qt::CaseInsensitive));
  }

  void nothing_else_in_the_elastic_program_knows_the_engine() {
    // Names of the example's own data and network apart, what is elastic is in the changed lines.
    for (const QString& line : contents("examples/porting/plain.cpp").split('\n'))
      QVERIFY2(!line.contains("batchscope::") || line.contains("batchscope::digits::"), qPrintable(line));
  }

  void the_readme_shows_the_real_difference() {
    const QString section = contents("README.md").section("examples/porting/elastic.cpp", 1);
    const QString block = section.section("```diff\n", 1, 1).section("```", 0, 0);
    QCOMPARE(block.split('\n').filter(kChanged), difference());
  }
};

QTEST_APPLESS_MAIN(PortingTest)
#include "test_porting.moc"
