// SPDX-License-Identifier: Apache-2.0
//
// The noise scale, the performance model, goodput and speed-up. Parameters are sequences of numbers in the
// order of their structs; batchscope/goodput.py names them.
#include "batchscope/goodput.h"

#include <pybind11/stl.h>

#include <array>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "bindings.h"

namespace batchscope::python {

namespace py = pybind11;

namespace {

using goodput::Bounds;
using goodput::GoodputFunction;
using goodput::NoiseScale;
using goodput::PerfParams;
using goodput::ProfileRow;
using goodput::SpeedupFunction;

using Numbers = std::array<double, 7>;

PerfParams params(const Numbers& numbers) {
  const auto [alpha_c, beta_c, alpha_n, beta_n, alpha_r, beta_r, gamma] = numbers;
  return {alpha_c, beta_c, alpha_n, beta_n, alpha_r, beta_r, gamma};
}

using Row = std::tuple<int, int, std::int64_t, double, double>;

std::vector<ProfileRow> profile(const std::vector<Row>& rows) {
  std::vector<ProfileRow> profile;
  for (const auto& [nodes, replicas, local, accumulation, optimizer] : rows)
    profile.push_back({nodes, replicas, local, accumulation, optimizer});
  return profile;
}

}  // namespace

void bind_goodput(py::module_& module) {
  // One group of all parameters, from sums over the replicas.
  py::class_<NoiseScale>(module, "NoiseScale")
      .def(py::init([](std::optional<double> smoothing) { return NoiseScale(1, {.smoothing = smoothing}); }),
           py::arg("smoothing"))
      .def(
          "update",
          [](NoiseScale& self, double local_sqr, double total_sqr, int count, double scale, int steps) {
            return self.update({.local_sqr = {local_sqr},
                                .total_sqr = {total_sqr},
                                .count = count,
                                .scale = scale,
                                .previous_sqr = {},
                                .mean_of_two_sqr = {}},
                               steps);
          },
          py::arg("local_sqr"), py::arg("total_sqr"), py::arg("count"), py::arg("scale"),
          py::arg("steps") = 1)
      .def("gain", &NoiseScale::gain, py::arg("scale"))
      .def("gain_interval", &NoiseScale::gain_interval, py::arg("scale"))
      .def("state", &NoiseScale::state)
      .def("restore", &NoiseScale::restore, py::arg("state"))
      .def_property_readonly("sqr", &NoiseScale::sqr)
      .def_property_readonly("var", &NoiseScale::var);
  py::class_<Bounds>(module, "Bounds")
      .def(py::init([](std::int64_t max_batch_size, std::int64_t min_local, std::int64_t max_local,
                       bool accumulation) {
             return Bounds{max_batch_size, min_local, max_local, accumulation};
           }),
           py::arg("max_batch_size"), py::arg("min_local"), py::arg("max_local"), py::arg("accumulation"));
  py::class_<GoodputFunction>(module, "GoodputFunction")
      .def(py::init([](const Numbers& perf, const std::array<double, 2>& grad, std::int64_t init_batch_size) {
             return GoodputFunction(params(perf), {.sqr = grad[0], .var = grad[1]}, init_batch_size);
           }),
           py::arg("perf"), py::arg("grad"), py::arg("init_batch_size"))
      .def("evaluate",
           [](const GoodputFunction& self, int nodes, int replicas, std::int64_t local, int steps) {
             return self.evaluate({nodes, replicas, local, steps});
           })
      .def("throughput",
           [](const GoodputFunction& self, int nodes, int replicas, std::int64_t local, int steps) {
             return self.throughput({nodes, replicas, local, steps});
           })
      .def("efficiency", &GoodputFunction::efficiency)
      .def("optimize", [](const GoodputFunction& self, int nodes, int replicas, const Bounds& bounds) {
        const goodput::Choice best = self.optimize(nodes, replicas, bounds);
        return std::tuple(best.goodput, best.local_batch_size, best.accumulation_steps);
      });
  py::class_<SpeedupFunction>(module, "SpeedupFunction")
      .def(py::init<const GoodputFunction&, const Bounds&>(), py::arg("goodput"), py::arg("bounds"))
      .def("__call__", &SpeedupFunction::operator());
  module.def("fit", [](const std::vector<Row>& rows) {
    const PerfParams fitted = goodput::fit(profile(rows));
    return Numbers{fitted.alpha_c, fitted.beta_c, fitted.alpha_n, fitted.beta_n,
                   fitted.alpha_r, fitted.beta_r, fitted.gamma};
  });
  module.def("fit_objective", [](const Numbers& perf, const std::vector<Row>& rows) {
    return goodput::fit_objective(params(perf), profile(rows));
  });
  module.def("accumulation_time", [](const Numbers& perf, std::int64_t local) {
    return goodput::accumulation_time(params(perf), local);
  });
  module.def("sync_time", [](const Numbers& perf, int nodes, int replicas) {
    return goodput::sync_time(params(perf), nodes, replicas);
  });
}

}  // namespace batchscope::python
