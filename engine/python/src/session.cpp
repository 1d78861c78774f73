// SPDX-License-Identifier: Apache-2.0
//
// The process: its rank among the replicas, its records, and the engine's errors as exceptions.
#include <pybind11/stl.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/protocol/error.h"
#include "batchscope/replica/record.h"
#include "batchscope/train/process_group.h"
#include "bindings.h"
#include "process/fork_server.h"
#include "report/failure.h"
#include "report/telemetry_client.h"

namespace batchscope::python {

namespace py = pybind11;

namespace {

// os.environ is a copy of what the fork server began with.
void take_environment() {
  std::vector<std::pair<py::bytes, py::bytes>> variables;  // all first: what is done below moves them
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    if (const auto equals = text.find('='); equals != std::string::npos)
      variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  const py::object known = py::module_::import("os").attr("environb");
  known.attr("clear")();
  for (const auto& [name, value] : variables) known[name] = value;
}

// Runs Python's work before and after a fork around calls that may fork and may return in a child. From
// Python 3.13 on a child aborts without the part before the fork.
class MayFork {
 public:
  MayFork() { PyOS_BeforeFork(); }
  ~MayFork() { ::getpid() == before_ ? PyOS_AfterFork_Parent() : PyOS_AfterFork_Child(); }
  MayFork(const MayFork&) = delete;
  MayFork& operator=(const MayFork&) = delete;

 private:
  const pid_t before_ = ::getpid();
};

// Initialises the session. Under a supervisor it may return in a forked replica. The interpreter's lock is
// kept: there is only this thread.
void init(const std::string& backend, const std::string& init_method, int world_size, int rank,
          double timeout) {
  const pid_t before = ::getpid();
  replica::offer_fork_server();
  {
    const MayFork around;
    init_process_group({.backend = backend,
                        .timeout = std::chrono::milliseconds(std::llround(timeout * 1000)),
                        .init_method = init_method,
                        .world_size = world_size,
                        .rank = rank});
  }
  if (::getpid() != before) take_environment();
}

}  // namespace

void bind_session(py::module_& module) {
  static py::exception<Error> error(module, "Error", PyExc_RuntimeError);
  error.attr("__doc__") = "An error of the engine: its text names the thing, what was wrong and what to do.";
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::usage)
        PyErr_SetString(PyExc_ValueError, e.what());
      else
        error(e.what());
    }
  });

  module.def("init_process_group", &init, py::arg("backend"), py::arg("init_method"), py::arg("world_size"),
             py::arg("rank"), py::arg("timeout"));
  module.def("replica_rank", &replica_rank);
  module.def("num_replicas", &num_replicas);
  module.def("num_restarts", &num_restarts);
  module.def("record", &record, py::arg("name"), py::arg("value"));
  module.def("notice", &replica::notice, py::arg("level"), py::arg("text"));
  module.def(
      "tell_exception", [](const std::string& text) { replica::tell_failure("exception", text); },
      py::arg("text"));
  module.def("record_hyperparameters", &record_hyperparameters, py::arg("values"));
}

}  // namespace batchscope::python
