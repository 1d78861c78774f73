// SPDX-License-Identifier: GPL-3.0-or-later
//
// The numbers in a lesson's text are those of the run that is open, so that the text cannot say what the
// charts do not show:
//
//   {gain@120}  {accuracy@end}    a series at a step, or the newest value before it
//   {sync_time@100..300}          its mean over these steps
//   {pause@2}  {pause.launch@2}   of the restart that began generation 2, or a part of it
//   {pauses@end}                  of all restarts up to there
//   {repeated@2}  {repeated.time@2}  the steps that this restart threw back, and how long they had taken
//   {elapsed@end}                 the wall time at a step
//   {best.batch_size@3}           what the fitted model finds best on 3 replicas: also goodput, throughput,
//                                 efficiency, accumulation
//
// and with a unit, {sync_time@9 ms} or {accuracy@end %}, in it.
#pragma once

#include <QString>

namespace batchscope::desktop {

class RunSession;

// Throws Error(usage) naming the number where its form is unknown or the run has none.
QString withNumbers(const QString& text, RunSession& session);

}  // namespace batchscope::desktop
