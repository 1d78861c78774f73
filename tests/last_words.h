// SPDX-License-Identifier: Apache-2.0
//
// The last words of a program that a test ran. One that a signal ended says nothing of it by itself, and a
// test that prints its standard error would print nothing.
#pragma once

#include <QProcess>
#include <cstring>

namespace batchscope::testing {

// Returns its standard error, and behind it the signal that ended it, if one did.
inline QByteArray last_words(QProcess& process) {
  QByteArray words = process.readAllStandardError();
  if (process.exitStatus() == QProcess::CrashExit)  // the exit code is the signal's number then
    words += QByteArray("ended by a signal: ") + strsignal(process.exitCode()) + '\n';
  return words;
}

}  // namespace batchscope::testing
