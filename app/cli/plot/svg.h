// SPDX-License-Identifier: Apache-2.0
//
// An SVG document on a white ground, shape by shape, in pixels from the upper left corner. Texts may hold
// anything: what would drive a terminal is replaced, and what means something in XML is escaped.
#pragma once

#include <QByteArray>
#include <QXmlStreamWriter>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace batchscope::cli {

class Svg {
 public:
  struct Point {
    double x, y;
  };
  // Attributes of the style, such as {"stroke", "#808080"}.
  using Style = std::initializer_list<std::pair<const char*, const char*>>;

  Svg(int width, int height);
  Svg(const Svg&) = delete;
  Svg& operator=(const Svg&) = delete;

  void text(Point at, const std::string& text, Style style = {});
  void line(Point from, Point to, Style style);
  void rectangle(Point corner, double width, double height, Style style);
  void polyline(const std::vector<Point>& points, Style style);

  // Begins a group of what is added until endGroup(); viewers show its title.
  void beginGroup(const std::string& title, Style style);
  void endGroup() { end(); }

  // Returns the document. Call it once, at the end.
  std::string finish();

 private:
  void begin(const char* element, std::initializer_list<std::pair<const char*, double>> place, Style style);
  void end();

  QByteArray bytes_;
  QXmlStreamWriter writer_{&bytes_};
};

}  // namespace batchscope::cli
