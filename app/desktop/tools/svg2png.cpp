// SPDX-License-Identifier: GPL-3.0-or-later
//
// batchscope-svg2png: standard input, an SVG document, as a PNG on standard output, in its own size.
// `batchscope plot --output FILE.png` calls it.
#include <QFile>
#include <QGuiApplication>
#include <QImage>
#include <QPainter>
#include <QSvgRenderer>
#include <cstdio>

namespace {

constexpr int kMostPixels = 10'000;  // of a side

int refuse(const char* why) {
  std::fprintf(stderr, "batchscope-svg2png: %s\n", why);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  const QGuiApplication application(argc, argv);
  QFile in, out;
  if (!in.open(stdin, QIODevice::ReadOnly) || !out.open(stdout, QIODevice::WriteOnly)) {
    return refuse("cannot use standard input and output");
  }
  QSvgRenderer picture(in.readAll());
  const QSize size = picture.defaultSize();
  if (!picture.isValid() || size.isEmpty()) return refuse("standard input is not an SVG document");
  if (size.width() > kMostPixels || size.height() > kMostPixels) return refuse("the picture is too large");
  QImage image(size, QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  picture.render(&painter);
  painter.end();
  return image.save(&out, "PNG") ? 0 : refuse("cannot write the picture");
}
