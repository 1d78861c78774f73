// SPDX-License-Identifier: GPL-3.0-or-later
//
// Fields with values that the wheel does not change, since a person who scrolls past one would change it by
// mistake. Keys and buttons still change it.
#pragma once

class QWidget;

namespace batchscope::desktop {

// Leaves the wheel to what lies beneath the field.
void ignoreWheel(QWidget* field);

}  // namespace batchscope::desktop
