// SPDX-License-Identifier: GPL-3.0-or-later
//
// Texts are shown as they are. Left to itself, a label, a tool tip or a message box takes any text for HTML
// that looks like it (Qt::AutoText), and names, tags and messages come from others. Who means rich text says
// so (Qt::RichText) and escapes what is put into it.
#pragma once

namespace batchscope::desktop {

// Sets it for the whole application, whose object must be there; a second call does nothing.
void showTextsAsTheyAre();

}  // namespace batchscope::desktop
