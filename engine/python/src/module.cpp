// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"

PYBIND11_MODULE(_engine, module) {
  using namespace batchscope::python;
  module.doc() = "BatchScope's engine; use batchscope.torch.";
  bind_session(module);
  bind_loops(module);
  bind_texts(module);
  bind_states(module);
  bind_collective(module);
  bind_parallel(module);
  bind_adascale(module);
  bind_sharding(module);
  bind_examples(module);
  bind_goodput(module);
}
