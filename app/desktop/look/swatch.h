// SPDX-License-Identifier: GPL-3.0-or-later
//
// Small samples of colour as they stand before words: a dot for a state, a stroke for a run.
#pragma once

#include <QColor>
#include <QPixmap>
#include <QString>

namespace batchscope::desktop {

struct Theme;

QPixmap dot(const QColor& colour);
QPixmap stroke(const QColor& colour);

// Returns the colour of a tone, or of a state by its tone (common/tone.h): green good, amber warning, red
// bad, grey plain.
QColor toneColour(const QString& tone, const Theme& theme);
QColor stateColour(const QString& state, const Theme& theme);

}  // namespace batchscope::desktop
