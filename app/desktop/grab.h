// SPDX-License-Identifier: GPL-3.0-or-later
//
// `--grab`: the window as it would look, as a picture, for documentation and tests.
#pragma once

#include <QPixmap>
#include <QSize>
#include <string>

namespace batchscope::desktop {

class CatalogueWatcher;

// Shows the run (empty: as the window would choose) in a window of this size, waits until it is drawn, and
// takes its picture. Blocks for some hundred milliseconds, spinning the event loop.
QPixmap grabWindow(CatalogueWatcher* watcher, const std::string& run, const QSize& size);

}  // namespace batchscope::desktop
