// SPDX-License-Identifier: GPL-3.0-or-later
//
// Fields whose value the wheel does not change: a person who scrolls past one would change it unawares. Keys
// and buttons still do.
#pragma once

class QWidget;

namespace batchscope::desktop {

// Leaves the wheel to what lies beneath the field.
void ignoreWheel(QWidget* field);

}  // namespace batchscope::desktop
