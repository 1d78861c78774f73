// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lessons as data (common/lesson.h), with their axes in the window.
#pragma once

#include "batchscope/common/lesson.h"
#include "series/x_axis.h"

namespace batchscope::desktop {

using common::bundledLessons;
using common::ChooseReplicas;
using common::Directive;
using common::Highlight;
using common::Launch;
using common::launchCommand;
using common::Lesson;
using common::LessonChoice;
using common::LessonPage;
using common::OpenRecorded;
using common::parseLesson;
using common::RaisePanel;
using common::recordedRunFile;
using common::recordedRunTag;
using common::SetAxis;
using common::SetCursor;
using common::SetLog;
using common::SetSmoothing;
using common::SetZoom;
using common::ShareDevices;
using common::ShowInstrument;

XAxis axisOf(const SetAxis& set);

}  // namespace batchscope::desktop
