// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/theme.h"

#include <QApplication>
#include <QFile>
#include <QPalette>
#include <QProxyStyle>
#include <QStyleFactory>
#include <QWidget>
#include <algorithm>
#include <cmath>
#include <utility>

#include "look/system_scheme.h"

// Resources in a static library are only there once somebody asks.
static void initResources() { Q_INIT_RESOURCE(desktop); }

namespace batchscope::desktop {
namespace {

Theme::Mode chosenMode = Theme::Mode::System;
bool chosenColourBlind = false;
const Theme* active = nullptr;

Theme makeLight() {
  Theme t;
  t.background = QColor(0xf4f5f7);
  t.panel = t.raised = QColor(0xffffff);
  t.hairline = QColor(0xdfe3e8);
  t.grid = QColor(0xeceff2);
  t.text = QColor(0x1c2430);
  t.dim = QColor(0x5d6875);
  t.faint = QColor(0x98a2ae);
  t.accent = QColor(0x2563c9);
  t.onAccent = QColor(0xffffff);
  t.selection = QColor(0xe8effa);
  t.good = QColor(0x177a4f);
  t.warning = QColor(0x8f5d12);
  t.bad = QColor(0xc0392b);
  t.series = {QColor(0x2563c9), QColor(0xd9730d), QColor(0x1d8a5b), QColor(0x8e44ad)};
  t.runs = {t.series[0],      t.series[1],      t.series[2],      t.series[3],      QColor(0xc0392b),
            QColor(0x0e8a9a), QColor(0xc2438d), QColor(0x7a5c1e), QColor(0x5b6470), QColor(0x6b8500)};
  return t;
}

Theme makeDark() {
  Theme t;
  t.isDark = true;
  t.background = QColor(0x14181d);
  t.panel = QColor(0x1b2027);
  t.raised = QColor(0x242b34);
  t.hairline = QColor(0x2c343d);
  t.grid = QColor(0x252c34);
  t.text = QColor(0xe4e9ef);
  t.dim = QColor(0x97a3b0);
  t.faint = QColor(0x687481);
  t.accent = QColor(0x6aa5f8);
  t.onAccent = QColor(0x0f1720);
  t.selection = QColor(0x243244);
  t.good = QColor(0x4cc38a);
  t.warning = QColor(0xe0a94a);
  t.bad = QColor(0xef7365);
  t.series = {QColor(0x6aa5f8), QColor(0xf0a35c), QColor(0x4cc38a), QColor(0xc792ea)};
  t.runs = {t.series[0],      t.series[1],      t.series[2],      t.series[3],      QColor(0xef7365),
            QColor(0x4fc4d3), QColor(0xf08bbd), QColor(0xc9a86a), QColor(0xa9b4c0), QColor(0xb5cc4a)};
  return t;
}

QColor mixed(const QColor& a, const QColor& b, float share) {
  const auto blend = [share](float from, float to) { return from + (to - from) * share; };
  return QColor::fromRgbF(blend(a.redF(), b.redF()), blend(a.greenF(), b.greenF()),
                          blend(a.blueF(), b.blueF()));
}

// Fusion, but menus show their mnemonics' underlines only where a style sheet would: never.
class CalmStyle : public QProxyStyle {
 public:
  CalmStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* result) const override {
    return hint == SH_UnderlineShortcut ? 0 : QProxyStyle::styleHint(hint, option, widget, result);
  }
};

QPalette paletteOf(const Theme& t) {
  QPalette p(t.raised, t.background);
  p.setColor(QPalette::WindowText, t.text);
  p.setColor(QPalette::Base, t.panel);
  p.setColor(QPalette::AlternateBase, t.background);
  p.setColor(QPalette::Text, t.text);
  p.setColor(QPalette::ButtonText, t.text);
  p.setColor(QPalette::PlaceholderText, t.dim);
  p.setColor(QPalette::Highlight, t.selection);
  p.setColor(QPalette::HighlightedText, t.text);
  p.setColor(QPalette::ToolTipBase, t.panel);
  p.setColor(QPalette::ToolTipText, t.text);
  p.setColor(QPalette::Link, t.accent);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    p.setColor(QPalette::Disabled, role, t.faint);
  }
  return p;
}

}  // namespace

const Theme& Theme::light() {
  static const Theme theme = makeLight();
  return theme;
}

const Theme& Theme::dark() {
  static const Theme theme = makeDark();
  return theme;
}

const Theme& Theme::of(bool isDark, bool isColourBlind) {
  if (!isColourBlind) return isDark ? dark() : light();
  static const Theme blindLight = [] {
    Theme t = makeLight();
    t.series = {QColor(0x0072b2), QColor(0xd55e00), QColor(0x00875f), QColor(0x8020e0)};
    t.runs = {t.series[0],      t.series[1],      t.series[2],      t.series[3],      QColor(0x3a4450),
              QColor(0x2b93d1), QColor(0xb5588f), QColor(0x927200), QColor(0x6d7a87), QColor(0x8f2a00)};
    return t;
  }();
  static const Theme blindDark = [] {
    Theme t = makeDark();
    t.series = {QColor(0x56b4e9), QColor(0xe69f00), QColor(0x00c08b), QColor(0xa970f5)};
    t.runs = {t.series[0],      t.series[1],      t.series[2],      t.series[3],      QColor(0xe4e9ef),
              QColor(0x2f86c9), QColor(0xd98ab9), QColor(0xf0e442), QColor(0x98a5b2), QColor(0xe0703a)};
    return t;
  }();
  return isDark ? blindDark : blindLight;
}

const Theme& Theme::current() { return active != nullptr ? *active : light(); }

QColor Theme::tint(const QColor& colour) const { return mixed(panel, colour, 0.1F); }

QString Theme::styleSheet(const QString& pattern) const {
  // Longer names first, so that none is taken for the beginning of another.
  const std::pair<const char*, QColor> tokens[] = {{"@good-tint", tint(good)},
                                                   {"@warning-tint", tint(warning)},
                                                   {"@bad-tint", tint(bad)},
                                                   {"@accent-hover", mixed(accent, text, 0.15)},
                                                   {"@on-accent", onAccent},
                                                   {"@background", background},
                                                   {"@panel", panel},
                                                   {"@raised", raised},
                                                   {"@hairline", hairline},
                                                   {"@grid", grid},
                                                   {"@text", text},
                                                   {"@dim", dim},
                                                   {"@faint", faint},
                                                   {"@accent", accent},
                                                   {"@selection", selection},
                                                   {"@good", good},
                                                   {"@warning", warning},
                                                   {"@bad", bad}};
  QString sheet = pattern;
  for (const auto& [token, colour] : tokens) sheet.replace(QLatin1String(token), colour.name());
  sheet.replace(QLatin1String("@scheme"), isDark ? QLatin1String("dark") : QLatin1String("light"));
  return sheet;
}

void applyTheme(Theme::Mode mode, bool isColourBlind) {
  initResources();
  // Made before ours replaces the desktop's palette.
  SystemScheme& system = SystemScheme::instance();
  static const auto followed = QObject::connect(&system, &SystemScheme::changed, qApp, [] {
    if (chosenMode == Theme::Mode::System) applyTheme(chosenMode, chosenColourBlind);
  });
  Q_UNUSED(followed);
  chosenMode = mode;
  chosenColourBlind = isColourBlind;
  active = &Theme::of(mode == Theme::Mode::Dark || (mode == Theme::Mode::System && system.isDark()),
                      isColourBlind);
  QFile file(QStringLiteral(":/themes/window.qss"));
  if (!file.open(QIODevice::ReadOnly)) qFatal("the style sheet is not compiled in");
  QApplication::setStyle(new CalmStyle);
  QApplication::setFont(interfaceFont(12));
  QApplication::setPalette(paletteOf(*active));
  qApp->setStyleSheet(active->styleSheet(QString::fromUtf8(file.readAll())));
}

Theme::Mode themeMode() { return chosenMode; }

bool isColourBlindTheme() { return chosenColourBlind; }

QFont interfaceFont(int pixels, QFont::Weight weight) {
  QFont font;
  font.setFamilies(
      {QStringLiteral("DejaVu Sans"), QStringLiteral("Noto Sans"), QStringLiteral("Liberation Sans")});
  font.setStyleHint(QFont::SansSerif);
  font.setPixelSize(pixels);
  font.setWeight(weight);
  return font;
}

QFont fixedFont(int pixels) {
  QFont font;
  font.setFamilies({QStringLiteral("DejaVu Sans Mono"), QStringLiteral("Noto Sans Mono")});
  font.setStyleHint(QFont::Monospace);
  font.setPixelSize(pixels);
  return font;
}

double contrastRatio(const QColor& a, const QColor& b) {
  const auto luminance = [](const QColor& colour) {
    const auto linear = [](double v) {
      return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
  };
  const auto [low, high] = std::minmax({luminance(a), luminance(b)});
  return (high + 0.05) / (low + 0.05);
}

void setStyleProperty(QWidget* widget, const char* name, const QVariant& value) {
  if (widget->property(name) == value) return;
  widget->setProperty(name, value);
  widget->style()->unpolish(widget);
  widget->style()->polish(widget);
}

}  // namespace batchscope::desktop
