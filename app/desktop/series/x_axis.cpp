// SPDX-License-Identifier: GPL-3.0-or-later
#include "series/x_axis.h"

#include <QCoreApplication>
#include <cmath>

#include "batchscope/common/number_text.h"

namespace batchscope::desktop {

QString xAxisName(XAxis axis) {
  const auto tr = [](const char* text) { return QCoreApplication::translate("XAxis", text); };
  switch (axis) {
    case XAxis::Step: return tr("Iterations");
    case XAxis::Progress: return tr("Scale-invariant iterations");
    case XAxis::Epoch: return tr("Statistical epochs");
    case XAxis::Samples: return tr("Samples");
    case XAxis::WallTime: return tr("Wall time");
    case XAxis::ActiveTime: return tr("Active time");
  }
  return {};
}

QString xAxisText(XAxis axis, double x) {
  const auto tr = [](const char* text) { return QCoreApplication::translate("XAxis", text); };
  switch (axis) {
    case XAxis::Step: return tr("step %1").arg(common::formatCount(std::llround(x)));
    case XAxis::Progress: return tr("%1 scale-invariant").arg(common::formatCount(std::llround(x)));
    case XAxis::Epoch: return tr("epoch %1").arg(common::formatNumber(x));
    case XAxis::Samples:
      return std::llround(x) == 1 ? tr("1 sample")
                                  : tr("%1 samples").arg(common::formatCount(std::llround(x)));
    case XAxis::WallTime: return common::formatClock(x);
    case XAxis::ActiveTime: return tr("%1 active").arg(common::formatClock(x));
  }
  return {};
}

bool isTime(XAxis axis) { return axis == XAxis::WallTime || axis == XAxis::ActiveTime; }

double narrowestView(XAxis axis) {
  if (isTime(axis)) return 1e-3;
  return axis == XAxis::Epoch ? 1e-4 : 1;
}

}  // namespace batchscope::desktop
