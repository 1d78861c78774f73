// SPDX-License-Identifier: Apache-2.0
/// \file
/// The one error type. Every failure a person or a script can cause or mend is thrown as an Error: a kind,
/// from which programs derive their exit code, and a message that names the thing, what was wrong with it and
/// what to do about it.
#pragma once

#include <stdexcept>
#include <string>

namespace batchscope {

/// Kind of failure, from which the exit code follows.
enum class ErrorKind {
  failure,    ///< anything without a better name
  usage,      ///< a flag, a value or a message that makes no sense
  not_found,  ///< no such run, file or program
  conflict,   ///< the run's state does not allow that, or somebody else holds it
  corrupt,    ///< stored data that fails its checks
  version,    ///< data from a newer version of BatchScope
  timeout,    ///< a peer or a process did not answer in time
  io,         ///< the operating system refused: permissions, space, descriptors
};

/// A failure that a person or a script can cause or mend.
class Error : public std::runtime_error {
 public:
  /// The message names the thing, what was wrong with it and what to do.
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  ErrorKind kind() const noexcept { return kind_; }  ///< as given

 private:
  ErrorKind kind_;
};

/// Exit codes, documented in `batchscope help exit-codes`: one per kind, stable.
enum ExitCode : int {
  kExitOk = 0,              ///< done
  kExitFailure = 1,         ///< ErrorKind::failure and ErrorKind::io
  kExitUsage = 2,           ///< ErrorKind::usage
  kExitNotFound = 3,        ///< ErrorKind::not_found
  kExitConflict = 4,        ///< ErrorKind::conflict
  kExitExpectation = 5,     ///< `run --expect` saw something else
  kExitTimeout = 6,         ///< ErrorKind::timeout
  kExitCorrupt = 7,         ///< corrupt data, or data from a newer version
  kExitCheckpointed = 143,  ///< stopped by a signal after a checkpoint; run it again to resume
};

/// Returns the exit code of a program that ends with such an error.
int exit_code(ErrorKind kind) noexcept;

/// Returns the kind's name as it stands in control replies ("not_found").
const char* error_kind_name(ErrorKind kind) noexcept;
/// Returns the kind of that name; failure for an unknown name.
ErrorKind parse_error_kind(const std::string& name) noexcept;

}  // namespace batchscope
