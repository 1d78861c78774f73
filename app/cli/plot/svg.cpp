// SPDX-License-Identifier: Apache-2.0
#include "plot/svg.h"

#include "text/format.h"

namespace batchscope::cli {
namespace {

QString safe(const std::string& text) { return QString::fromStdString(printable(text)); }

QString number(double pixels) { return QString::number(pixels, 'g', 6); }

}  // namespace

Svg::Svg(int width, int height) {
  begin("svg", {{"width", width}, {"height", height}},
        {{"xmlns", "http://www.w3.org/2000/svg"}, {"font-family", "sans-serif"}, {"font-size", "12"}});
  writer_.writeAttribute("viewBox", QStringLiteral("0 0 %1 %2").arg(width).arg(height));
  writer_.writeCharacters("\n");
  rectangle({0, 0}, width, height, {{"fill", "#ffffff"}});
}

void Svg::begin(const char* element, std::initializer_list<std::pair<const char*, double>> place,
                Style style) {
  writer_.writeStartElement(element);
  for (const auto& [name, pixels] : place) writer_.writeAttribute(name, number(pixels));
  for (const auto& [name, value] : style) writer_.writeAttribute(name, value);
}

void Svg::end() {
  writer_.writeEndElement();
  writer_.writeCharacters("\n");
}

void Svg::text(Point at, const std::string& text, Style style) {
  begin("text", {{"x", at.x}, {"y", at.y}}, style);
  writer_.writeCharacters(safe(text));
  end();
}

void Svg::line(Point from, Point to, Style style) {
  begin("line", {{"x1", from.x}, {"y1", from.y}, {"x2", to.x}, {"y2", to.y}}, style);
  end();
}

void Svg::rectangle(Point corner, double width, double height, Style style) {
  begin("rect", {{"x", corner.x}, {"y", corner.y}, {"width", width}, {"height", height}}, style);
  end();
}

void Svg::polyline(const std::vector<Point>& points, Style style) {
  begin("polyline", {}, style);
  QStringList places;
  for (const Point& point : points)
    places << QString::number(point.x, 'f', 1) + ',' + QString::number(point.y, 'f', 1);
  writer_.writeAttribute("points", places.join(' '));
  end();
}

void Svg::beginGroup(const std::string& title, Style style) {
  begin("g", {}, style);
  writer_.writeTextElement("title", safe(title));
}

std::string Svg::finish() {
  end();
  return bytes_.toStdString();
}

}  // namespace batchscope::cli
