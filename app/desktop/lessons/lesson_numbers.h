// SPDX-License-Identifier: GPL-3.0-or-later
//
// The numbers in a lesson's text (common/lesson_numbers.h), of the run that is open in the window.
#pragma once

#include <QString>

namespace batchscope::desktop {

class RunSession;

// Throws Error(usage) naming the number where its form is unknown or the run has none.
QString withNumbers(const QString& text, RunSession& session);

}  // namespace batchscope::desktop
