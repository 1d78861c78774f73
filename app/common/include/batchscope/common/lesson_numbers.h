// SPDX-License-Identifier: Apache-2.0
/// \file
/// The numbers in a lesson's text are those of the run that is open, so that the text cannot say what the
/// charts do not show:
///
///   {gain@120}  {accuracy@end}    a series at a step, or the newest value before it
///   {sync_time@100..300}          its mean over these steps
///   {pause@2}  {pause.launch@2}   of the restart that began generation 2, or a part of it
///   {pauses@end}                  of all restarts up to there
///   {repeated@2}  {repeated.time@2}  the steps that this restart threw back, and how long they had taken
///   {elapsed@end}                 the wall time at a step
///   {best.batch_size@3}           what the fitted model finds best on 3 replicas: also goodput, throughput,
///                                 efficiency, accumulation
///
/// and with a unit, {sync_time@9 ms} or {accuracy@end %}, in it.
#pragma once

#include <QString>
#include <set>
#include <string>
#include <vector>

#include "batchscope/common/run_series.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// The record of a run, as the numbers need it.
struct NumberedRun {
  RunSeries* series = nullptr;                        ///< null: no run is open, or nothing is recorded of it
  std::vector<storage::Generation> generations = {};  ///< in their order
  const protocol::Model* model = nullptr;             ///< the newest; null: none has been fitted
};

/// Returns the series that the text's numbers read; a SeriesModel has to want them first.
std::set<std::string> numberedSeries(const QString& text);

/// Returns the text with its numbers. Throws Error(usage) naming the number where its form is unknown or the
/// run has none.
QString withNumbers(const QString& text, const NumberedRun& run);

}  // namespace batchscope::common
