// SPDX-License-Identifier: GPL-3.0-or-later
//
// The look, in one place: a set of colour tokens for light and for dark, and the style sheet template
// resources/themes/window.qss in which @token stands for a colour. Text tokens (text, dim, good, warning,
// bad, accent) keep the WCAG AA contrast of 4.5 on background, panel and selection, and the last of them on
// their own tints; faint is for decoration only.
#pragma once

#include <QColor>
#include <QFont>
#include <QString>
#include <QVariant>
#include <array>

class QWidget;

namespace batchscope::desktop {

struct Theme {
  enum class Mode { System, Light, Dark };

  bool isDark = false;
  bool isColourBlind = false;        // lines have strokes and markers of their own, too
  QColor background, panel, raised;  // behind the cards, the cards, buttons on a card
  QColor hairline, grid;
  QColor text, dim, faint;
  QColor accent, onAccent, selection;
  QColor good, warning, bad;
  std::array<QColor, 4> series;
  std::array<QColor, 10> runs;  // of runs that are compared; more begin again

  static const Theme& light();
  static const Theme& dark();
  // The same with series that people with a colour vision deficiency tell apart (after Okabe and Ito, 2008).
  static const Theme& of(bool isDark, bool isColourBlind);
  static const Theme& current();

  QColor run(int slot) const { return runs[static_cast<std::size_t>(slot) % runs.size()]; }

  // The panel with a breath of a colour, behind text of that colour.
  QColor tint(const QColor& colour) const;

  // The template with every @token replaced.
  QString styleSheet(const QString& pattern) const;
};

// Gives the application palette, style sheet and font of the mode; widgets that paint themselves see a
// QEvent::PaletteChange. System follows the desktop (SystemScheme) from then on.
void applyTheme(Theme::Mode mode, bool isColourBlind = false);
Theme::Mode themeMode();
bool isColourBlindTheme();

// The interface font (DejaVu Sans has tabular figures and comes with a bare Debian), and its fixed-width
// sister.
QFont interfaceFont(int pixels, QFont::Weight weight = QFont::Normal);
QFont fixedFont(int pixels);

QColor withAlpha(QColor colour, double alpha);
// Mixes two colours: `a` with the share 0, `b` with 1.
QColor mixed(const QColor& a, const QColor& b, double share);

// WCAG 2 contrast ratio, 1..21.
double contrastRatio(const QColor& a, const QColor& b);

// Sets a property that the style sheet asks for, and styles the widget again.
void setStyleProperty(QWidget* widget, const char* name, const QVariant& value);

}  // namespace batchscope::desktop
