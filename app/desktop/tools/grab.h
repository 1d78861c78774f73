// SPDX-License-Identifier: GPL-3.0-or-later
//
// `--grab` and `--report`: the window as it would look, as a picture or as a page, without a person.
#pragma once

#include <QPixmap>
#include <QSize>
#include <functional>
#include <string>

namespace batchscope::desktop {

class CatalogueWatcher;

// Lets the event loop run, so long, or at most so long until `isSo`; returns whether it is.
void spin(int milliseconds);
bool spinUntil(int milliseconds, const std::function<bool()>& isSo);

// Shows the run (empty: as the window would choose) in a window of this size, waits until it is drawn, and
// takes its picture. Blocks for some hundred milliseconds, spinning the event loop.
QPixmap grabWindow(CatalogueWatcher* watcher, const std::string& run, const QSize& size);

// The same as a report of the run (report.h). Throws Error(not_found) where there is none.
QByteArray reportOf(CatalogueWatcher* watcher, const std::string& run);

}  // namespace batchscope::desktop
