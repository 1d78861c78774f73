// SPDX-License-Identifier: GPL-3.0-or-later
//
// A chart or the whole dashboard as a picture: PNG at twice the resolution of the screen, or SVG whose lines
// stay lines.
#pragma once

#include <QByteArray>
#include <QPixmap>
#include <QString>

class QWidget;

namespace batchscope::desktop {

// The widget as it is shown, drawn again in vectors.
QByteArray svgOf(QWidget* widget);

// A picture of what the widget shows now, in either form.
struct Picture {
  explicit Picture(QWidget* widget);

  QPixmap pixels;
  QByteArray svg;
};

// Saves in the form of the name's ending, .png or .svg. Throws Error(usage) for another, Error(io) where it
// cannot write; a file of that name is replaced only once the new one is complete.
void savePicture(const Picture& picture, const QString& file);

// Replaces the file by the content, or leaves it and throws Error(io).
void saveFile(const QString& file, const QByteArray& content);

}  // namespace batchscope::desktop
