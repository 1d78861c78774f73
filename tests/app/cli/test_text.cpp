// SPDX-License-Identifier: Apache-2.0
//
// Numbers as people read them, and tables that fit.
#include <QLocale>

#include "batchscope/run/number_text.h"
#include "test_case.h"
#include "text/format.h"
#include "text/table.h"

using namespace batchscope::cli;

class TestText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English)); }

  void formatsNumbers() {
    QCOMPARE(formatClock(3785.9), std::string("1:03:06"));
    QCOMPARE(formatClock(double(NAN)), std::string("0:00"));
    QCOMPARE(formatClock(1e308), formatClock(1e15));
    QCOMPARE(formatDuration(727), std::string("12 min"));
    QCOMPARE(formatPause(0.0851), std::string("85 ms"));
    QCOMPARE(formatAge(3), std::string("just now"));
    QCOMPARE(formatAge(200), std::string("3 min ago"));
    QCOMPARE(formatAge(200000), std::string("2 d ago"));
    QCOMPARE(formatBytes(1234567), std::string("1.2 MB"));
    QCOMPARE(batchscope::run::number_text(8210), std::string("8,210"));
    QCOMPARE(batchscope::run::number_text(12345), std::string("12,350"));
  }

  void formatsSeriesByTheirNature() {
    QCOMPARE(formatSeriesValue("accuracy", 0.9712), std::string("97.12 %"));
    QCOMPARE(formatSeriesValue("batch_size", 4096), std::string("4,096"));
    QCOMPARE(formatSeriesValue("goodput", 12345), std::string("12,350 samples/s"));
    QCOMPARE(formatSeriesValue("step_time", 0.0123), std::string("12.3 ms"));
    QCOMPARE(formatSeriesValue("samples", 45678), std::string("45,680"));
    QCOMPARE(formatSeriesValue("my_score", 1.23456789), std::string("1.235"));
    QCOMPARE(formatSeriesValue("my_score", 54321), std::string("54,320"));
    QCOMPARE(formatSeriesValue("learning_rate", 1e-5), std::string("1 × 10⁻⁵"));
    QCOMPARE(formatSeriesValue("loss", std::numeric_limits<double>::quiet_NaN()), std::string("nan"));
  }

  void countsColumnsOfUtf8() {
    QCOMPARE(displayWidth("━━x"), 3);
    QCOMPARE(cutToWidth("━━x", 2), std::string("━━"));
    QCOMPARE(cutToWidth("ab", 5), std::string("ab"));
    QCOMPARE(cutToWidth("ab", 0), std::string());
    QCOMPARE(displayWidth("漢字 e\u0301 🙂"), 9);  // wide and combining characters
    QCOMPARE(cutToWidth("漢字", 3), std::string("漢"));
    QCOMPARE(cutToWidth("e\u0301e", 1), std::string("e\u0301"));
    QCOMPARE(displayWidth("a\xff\xe6"), 3);
  }

  void keepsControlCharactersOffTheTerminal() {
    QCOMPARE(printable("a\x1b[2Jb\nc"), std::string("a [2Jb c"));
    QCOMPARE(printable("größe"), std::string("größe"));
    QCOMPARE(printable("a\u009b2J\u0085b\x7f"), std::string("a 2J b "));
    QCOMPARE(printable("a\u2028b\u202e\u2066c"), std::string("a b  c"));
    QCOMPARE(printable("\x9b\xc3(\xff\xe2\x82"), std::string("\uFFFD\uFFFD(\uFFFD\uFFFD\uFFFD"));
    QCOMPARE(printable("\xed\xa0\x80\xc0\x80"), std::string("\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"));
    QCOMPARE(printable("漢字 🙂 \u00a0"), std::string("漢字 🙂 \u00a0"));
    QCOMPARE(printable_lines("a\x1b\nb\u009bc\r\n"), std::string("a \nb c \n"));
  }

  void alignsColumns() {
    Table table({{"name"}, {"step", Table::Align::right}, {"note"}});
    table.addRow({"digits", "7", "x"});
    table.addRow({"ä", "1234", ""});
    QCOMPARE(QString::fromStdString(table.text({80, false, true}, 2)), QString("  name    step  note\n"
                                                                               "  digits     7  x\n"
                                                                               "  ä       1234\n"));
  }

  void wrapsElasticColumns() {
    Table table({{"id"}, {"name", Table::Align::left, true}, {"step", Table::Align::right}});
    table.addRow({"3f9a12bc", "a name that is much too long for this", "12"});
    table.addRow({"4711", "unbreakable-und-überlang", "1"});
    QCOMPARE(QString::fromStdString(table.text({30, false, true})), QString("id        name            step\n"
                                                                            "3f9a12bc  a name that is    12\n"
                                                                            "          much too long\n"
                                                                            "          for this\n"
                                                                            "4711      unbreakable-un     1\n"
                                                                            "          d-überlang\n"));
    QVERIFY(QString::fromStdString(table.text({80, false, true})).contains("much too long for this"));
  }
};

BATCHSCOPE_TEST(TestText)
#include "test_text.moc"
