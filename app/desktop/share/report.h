// SPDX-License-Identifier: GPL-3.0-or-later
//
// A run on one page, to keep or to send: HTML that needs no other file and no network, with the charts as
// they are shown (as SVG), why it scaled, restarts with the parts of their pauses, checkpoints,
// hyperparameters and events.
#pragma once

#include <QByteArray>
#include <vector>

namespace batchscope::desktop {

class ChartCard;
class FigureCard;
class RunSession;

// Returns the report of the open run; figures that have nothing to show are left out. Reads the catalogue and
// throws Error as it does.
QByteArray reportHtml(RunSession& session, const std::vector<ChartCard*>& charts,
                      const std::vector<FigureCard*>& figures);

}  // namespace batchscope::desktop
