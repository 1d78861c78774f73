// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/figure_json.h"

#include <cmath>

namespace batchscope::common {
namespace {

using protocol::Json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

const char* tokenName(Ink::Token token) {
  switch (token) {
    case Ink::Series: return "series";
    case Ink::Run: return "run";
    case Ink::Accent: return "accent";
    case Ink::Dim: return "dim";
    case Ink::Faint: return "faint";
    case Ink::Good: return "good";
    case Ink::Warning: return "warning";
    case Ink::Bad: return "bad";
  }
  return "";
}

const char* axisKindName(FigureAxis::Kind kind) {
  switch (kind) {
    case FigureAxis::Kind::Linear: return "linear";
    case FigureAxis::Kind::Logarithmic: return "logarithmic";
    case FigureAxis::Kind::Decades: return "decades";
    case FigureAxis::Kind::Time: return "time";
    case FigureAxis::Kind::LogarithmicTime: return "logarithmic time";
  }
  return "";
}

const char* markName(FigureSeries::Mark mark) {
  switch (mark) {
    case FigureSeries::Mark::Line: return "line";
    case FigureSeries::Mark::Dashed: return "dashed";
    case FigureSeries::Mark::Dotted: return "dotted";
    case FigureSeries::Mark::Dots: return "dots";
    case FigureSeries::Mark::Rings: return "rings";
    case FigureSeries::Mark::DottedLine: return "dotted line";
    case FigureSeries::Mark::Area: return "area";
  }
  return "";
}

Json inkJson(const Ink& ink) { return {tokenName(ink.token), ink.index, ink.alpha}; }

// Adds what a person reads, where there is anything.
void addText(Json& json, const char* name, const QString& text) {
  if (!text.isEmpty()) json[name] = text.toStdString();
}

Json axisJson(const FigureAxis& axis) {
  Json json{{"kind", axisKindName(axis.kind)}};
  addText(json, "title", axis.title);
  if (axis.low) json["low"] = number(*axis.low);
  if (axis.high) json["high"] = number(*axis.high);
  for (const Tick& tick : axis.ticks)
    json["ticks"].push_back({{"value", number(tick.value)}, {"label", tick.label.toStdString()}});
  if (axis.isBare) json["isBare"] = true;
  return json;
}

Json pointJson(const FigurePoint& point) {
  Json json{{"x", number(point.x)}, {"y", number(point.y)}};
  addText(json, "text", point.text);
  return json;
}

Json seriesJson(const FigureSeries& series) {
  Json points = Json::array();
  for (const FigurePoint& point : series.points) points.push_back(pointJson(point));
  Json json{{"ink", inkJson(series.ink)},
            {"mark", markName(series.mark)},
            {"size", series.size},
            {"points", std::move(points)}};
  addText(json, "name", series.name);
  if (series.isRight) json["isRight"] = true;
  if (!series.lower.empty()) json["lower"] = numbers(series.lower);
  if (!series.strengths.empty()) json["strengths"] = numbers(series.strengths);
  return json;
}

Json cellJson(const FigureCell& cell) {
  Json json{{"x", number(cell.box.x())},
            {"y", number(cell.box.y())},
            {"width", number(cell.box.width())},
            {"height", number(cell.box.height())},
            {"ink", inkJson(cell.ink)}};
  addText(json, "text", cell.text);
  return json;
}

}  // namespace

Json figureJson(const FigureData& figure) {
  Json json{{"bottom", axisJson(figure.bottom)},
            {"left", axisJson(figure.left)},
            {"series", Json::array()},
            {"isEmpty", figure.isEmpty()}};
  if (!figure.right.isBare) json["right"] = axisJson(figure.right);
  for (const FigureSeries& each : figure.series) json["series"].push_back(seriesJson(each));
  for (const FigureCell& each : figure.cells) json["cells"].push_back(cellJson(each));
  for (const FigurePart& each : figure.bars)
    json["bars"].push_back(
        {{"name", each.name.toStdString()}, {"ink", inkJson(each.ink)}, {"values", numbers(each.values)}});
  for (const QString& each : figure.barTexts) json["barTexts"].push_back(each.toStdString());
  for (const FigureNote& each : figure.notes)
    json["notes"].push_back({{"x", number(each.x)},
                             {"y", number(each.y)},
                             {"text", each.text.toStdString()},
                             {"ink", inkJson(each.ink)}});
  if (figure.isCurve) json["isCurve"] = true;
  addText(json, "missing", figure.missing);
  addText(json, "description", figure.description);
  return json;
}

}  // namespace batchscope::common
