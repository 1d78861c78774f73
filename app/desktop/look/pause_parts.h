// SPDX-License-Identifier: GPL-3.0-or-later
//
// The parts of a restart's pause, in the order in which they come, and how long each took, in words.
#pragma once

#include <QString>
#include <array>
#include <map>
#include <string>

namespace batchscope::desktop {

// As the store and the control protocol name them.
inline constexpr std::array<const char*, 5> kPauseParts{"checkpoint", "stop", "launch", "restore",
                                                        "first step"};

// "First step", of one of those by its place.
QString pausePartText(std::size_t part);
// "Checkpoint 12 ms, Stop 3 ms, Launch 20 ms, ..."
QString describePause(const std::map<std::string, double>& parts);

}  // namespace batchscope::desktop
