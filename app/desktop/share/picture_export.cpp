// SPDX-License-Identifier: GPL-3.0-or-later
#include "share/picture_export.h"

#include <QBuffer>
#include <QPainter>
#include <QPixmap>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QWidget>

#include "batchscope/protocol/error.h"

namespace batchscope::desktop {
namespace {

constexpr double kPixelsPerPoint = 2;
constexpr int kSvgResolution = 96;  // in which one unit is one pixel

}  // namespace

QByteArray svgOf(QWidget* widget) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  QSvgGenerator svg;
  svg.setOutputDevice(&buffer);
  svg.setResolution(kSvgResolution);
  svg.setSize(widget->size());
  svg.setViewBox(widget->rect());
  svg.setTitle(widget->accessibleName());
  QPainter painter(&svg);
  widget->render(&painter);
  painter.end();
  return buffer.data();
}

void saveFile(const QString& file, const QByteArray& content) {
  QSaveFile out(file);
  if (!out.open(QIODevice::WriteOnly) || out.write(content) != content.size() || !out.commit()) {
    throw Error(ErrorKind::io, "cannot write " + file.toStdString() + ": " + out.errorString().toStdString());
  }
}

Picture::Picture(QWidget* widget) : pixels(widget->size() * kPixelsPerPoint), svg(svgOf(widget)) {
  pixels.setDevicePixelRatio(kPixelsPerPoint);
  pixels.fill(Qt::transparent);
  widget->render(&pixels);
}

void savePicture(const Picture& picture, const QString& file) {
  if (file.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive)) {
    saveFile(file, picture.svg);
    return;
  }
  if (!file.endsWith(QLatin1String(".png"), Qt::CaseInsensitive)) {
    throw Error(ErrorKind::usage,
                "cannot save a picture as " + file.toStdString() + ": its name must end in .png or .svg");
  }
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  picture.pixels.save(&buffer, "PNG");
  saveFile(file, buffer.data());
}

}  // namespace batchscope::desktop
