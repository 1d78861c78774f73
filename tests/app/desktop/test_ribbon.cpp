// SPDX-License-Identifier: GPL-3.0-or-later
//
// A ribbon against the stroke that it stands for, pixel by pixel.
#include <QImage>
#include <QPainter>
#include <cmath>
#include <random>

#include "chart/ribbon.h"
#include "test_case.h"

using namespace batchscope::desktop;

namespace {

constexpr int kWidth = 300, kHeight = 120;
constexpr double kPen = 1.6;

template <typename Draw>
QImage drawn(const Draw& draw) {
  QImage image(kWidth, kHeight, QImage::Format_Grayscale8);
  image.fill(Qt::white);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  draw(painter);
  return image;
}

QImage stroked(const QPolygonF& line) {
  return drawn([&](QPainter& painter) {
    painter.setPen(QPen(Qt::black, kPen, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(line);
  });
}

QImage filled(const QPolygonF& line) {
  return drawn([&](QPainter& painter) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(Qt::black);
    for (const QPolygonF& piece : ribbon(line, kPen)) painter.drawPolygon(piece);
  });
}

int darkest(const QImage& image, int x, int y) {
  int darkest = 255;
  for (int i = std::max(0, x - 1); i <= std::min(kWidth - 1, x + 1); ++i)
    for (int j = std::max(0, y - 1); j <= std::min(kHeight - 1, y + 1); ++j)
      darkest = std::min(darkest, qGray(image.pixel(i, j)));
  return darkest;
}

// Nothing that is dark in one picture is blank in the other, one pixel around.
bool covers(const QImage& one, const QImage& other) {
  for (int y = 2; y < kHeight - 2; ++y)
    for (int x = 2; x < kWidth - 2; ++x)
      if (qGray(one.pixel(x, y)) < 64 && darkest(other, x, y) > 128) return false;
  return true;
}

double meanDifference(const QImage& one, const QImage& other) {
  double sum = 0;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) sum += std::abs(qGray(one.pixel(x, y)) - qGray(other.pixel(x, y)));
  return sum / (kWidth * kHeight);
}

}  // namespace

class TestRibbon : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void looksAsItsStroke_data() {
    QTest::addColumn<QPolygonF>("line");
    std::mt19937 random(1);
    std::normal_distribution<double> noise(0, 8);
    QPolygonF smooth, jumps, columns, gentle;
    for (int x = 0; x < kWidth; x += 4) gentle << QPointF(x + 0.5, 60 + 20 * std::sin(x / 25.0));
    for (int x = 0; x < kWidth; ++x) {
      smooth << QPointF(x + 0.5, 60 + 40 * std::sin(x / 25.0));
      jumps << QPointF(x + 0.5, x == 70 ? 10 : x == 140 ? 110 : x > 200 ? 30 : 60);
      columns << QPointF(x + 0.5, 60 + noise(random)) << QPointF(x + 0.5, 60 + noise(random));
    }
    QTest::newRow("a smooth line") << smooth;
    QTest::newRow("jumps and spikes") << jumps;
    QTest::newRow("gentle, a place every few pixels") << gentle;
    QTest::newRow("columns of two points") << columns;
  }
  void looksAsItsStroke() {
    QFETCH(QPolygonF, line);
    QVERIFY(isDense(line));
    const QImage stroke = stroked(line), fill = filled(line);
    QVERIFY(covers(stroke, fill));
    QVERIFY(covers(fill, stroke));
    if (QTest::currentDataTag() != QByteArray("a smooth line")) return;
    QVERIFY2(meanDifference(stroke, fill) < 0.5, qPrintable(QString::number(meanDifference(stroke, fill))));
  }

  void placesThatAlmostMeetReachNoFurtherThanTheyAre() {
    QPolygonF line;
    for (int x = 0; x < kWidth; ++x) line << QPointF(x, 50) << QPointF(x + 0.001, 70);
    for (const QPolygonF& piece : ribbon(line, kPen)) {
      const QRectF box = piece.boundingRect();
      QVERIFY(box.top() >= 50 - kPen && box.bottom() <= 70 + kPen);
    }
  }

  void aSparseLineIsNone() {
    QPolygonF line;
    for (int x = 0; x < kWidth; x += 3) line << QPointF(x, x == 90 ? 30 : 60);
    QVERIFY(!isDense(line));
    QVERIFY(!isDense(QPolygonF{QPointF(0, 0), QPointF(1, 1)}));
  }
};

BATCHSCOPE_TEST(TestRibbon)
#include "test_ribbon.moc"
