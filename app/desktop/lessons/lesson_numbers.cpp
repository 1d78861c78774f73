// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lesson_numbers.h"

#include "batchscope/common/lesson_numbers.h"
#include "session/run_session.h"

namespace batchscope::desktop {

QString withNumbers(const QString& text, RunSession& session) {
  common::NumberedRun run;
  if (session.isOpen()) {
    run.series = session.series();
    run.generations = session.generations();
    run.model = session.model() ? &*session.model() : nullptr;
  }
  if (SeriesModel* series = session.series(); series != nullptr) {
    series->want(common::numberedSeries(text));
    series->refresh(session.generations());
  }
  return common::withNumbers(text, run);
}

}  // namespace batchscope::desktop
