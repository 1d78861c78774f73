// SPDX-License-Identifier: GPL-3.0-or-later
//
// Texts are shown as they are. By default a label, a tool tip or a message box takes any text that looks like
// HTML for HTML (Qt::AutoText), and names, tags and messages come from others. Rich text is set explicitly
// (Qt::RichText), and what is put into it is escaped.
#pragma once

namespace batchscope::desktop {

// Sets it for the whole application, whose object must be there; a second call does nothing.
void showTextsAsTheyAre();

}  // namespace batchscope::desktop
