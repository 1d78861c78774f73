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
#include <iterator>
#include <utility>

#include "look/system_scheme.h"

// Resources in a static library are only there once somebody asks.
static void initResources() { Q_INIT_RESOURCE(desktop); }

namespace batchscope::desktop {
namespace {

Theme::Mode chosenMode = Theme::Mode::System;
bool chosenColourBlind = false;
const Theme* active = nullptr;

// The colours that have names in the style sheet, "@background" for one, in the light and in the dark.
struct Token {
  const char* name;
  QColor Theme::*colour;
  QRgb light, dark;
};

constexpr Token kTokens[] = {
    {"@background", &Theme::background, 0xf4f5f7, 0x14181d},
    {"@panel", &Theme::panel, 0xffffff, 0x1b2027},
    {"@raised", &Theme::raised, 0xffffff, 0x242b34},
    {"@hairline", &Theme::hairline, 0xdfe3e8, 0x2c343d},
    {"@grid", &Theme::grid, 0xeceff2, 0x252c34},
    {"@text", &Theme::text, 0x1c2430, 0xe4e9ef},
    {"@dim", &Theme::dim, 0x5d6875, 0x97a3b0},
    {"@faint", &Theme::faint, 0x98a2ae, 0x687481},
    {"@accent", &Theme::accent, 0x2563c9, 0x6aa5f8},
    {"@on-accent", &Theme::onAccent, 0xffffff, 0x0f1720},
    {"@selection", &Theme::selection, 0xe8effa, 0x243244},
    {"@good", &Theme::good, 0x177a4f, 0x4cc38a},
    {"@warning", &Theme::warning, 0x8f5d12, 0xe0a94a},
    {"@bad", &Theme::bad, 0xc0392b, 0xef7365},
};

// Light, light for the colour-blind, dark, dark for the colour-blind; the first four are those of series.
constexpr QRgb kRuns[4][10] = {
    {0x2563c9, 0xd9730d, 0x1d8a5b, 0x8e44ad, 0xc0392b, 0x0e8a9a, 0xc2438d, 0x7a5c1e, 0x5b6470, 0x6b8500},
    {0x0072b2, 0xd55e00, 0x00875f, 0x8020e0, 0x3a4450, 0x2b93d1, 0xb5588f, 0x927200, 0x6d7a87, 0x8f2a00},
    {0x6aa5f8, 0xf0a35c, 0x4cc38a, 0xc792ea, 0xef7365, 0x4fc4d3, 0xf08bbd, 0xc9a86a, 0xa9b4c0, 0xb5cc4a},
    {0x56b4e9, 0xe69f00, 0x00c08b, 0xa970f5, 0xe4e9ef, 0x2f86c9, 0xd98ab9, 0xf0e442, 0x98a5b2, 0xe0703a}};

Theme made(bool isDark, bool isColourBlind) {
  Theme theme;
  theme.isDark = isDark;
  theme.isColourBlind = isColourBlind;
  for (const Token& token : kTokens) theme.*token.colour = QColor(isDark ? token.dark : token.light);
  const auto& runs = kRuns[2 * isDark + isColourBlind];
  std::copy(std::begin(runs), std::end(runs), theme.runs.begin());
  std::copy_n(theme.runs.begin(), theme.series.size(), theme.series.begin());
  return theme;
}

// Fusion, but menus show their mnemonics' underlines only where a style sheet would: never; and the buttons
// of dialogs have no pictures.
class CalmStyle : public QProxyStyle {
 public:
  CalmStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* result) const override {
    const bool isNever = hint == SH_UnderlineShortcut || hint == SH_DialogButtonBox_ButtonsHaveIcons;
    return isNever ? 0 : QProxyStyle::styleHint(hint, option, widget, result);
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

const Theme& Theme::of(bool isDark, bool isColourBlind) {
  static const Theme themes[] = {made(false, false), made(false, true), made(true, false), made(true, true)};
  return themes[2 * isDark + isColourBlind];
}

const Theme& Theme::light() { return of(false, false); }

const Theme& Theme::dark() { return of(true, false); }

const Theme& Theme::current() { return active != nullptr ? *active : light(); }

QColor Theme::tint(const QColor& colour) const { return mixed(panel, colour, 0.1); }

QString Theme::styleSheet(const QString& pattern) const {
  QString sheet = pattern;
  const auto replace = [&](const char* token, const QColor& colour) {
    sheet.replace(QLatin1String(token), colour.name());
  };
  // Longer names first, so that none is taken for the beginning of another.
  replace("@good-tint", tint(good));
  replace("@warning-tint", tint(warning));
  replace("@bad-tint", tint(bad));
  replace("@accent-hover", mixed(accent, text, 0.15));
  for (const Token& token : kTokens) replace(token.name, this->*token.colour);
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

QColor withAlpha(QColor colour, double alpha) {
  colour.setAlphaF(static_cast<float>(alpha));
  return colour;
}

QColor mixed(const QColor& a, const QColor& b, double share) {
  const auto blend = [share](float from, float to) { return from + (to - from) * static_cast<float>(share); };
  return QColor::fromRgbF(blend(a.redF(), b.redF()), blend(a.greenF(), b.greenF()),
                          blend(a.blueF(), b.blueF()));
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
