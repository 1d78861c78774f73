// SPDX-License-Identifier: Apache-2.0
#include "parallel/training_state.h"

#include <c10/core/GradMode.h>

#include <istream>
#include <memory>
#include <ostream>
#include <sstream>
#include <utility>
#include <vector>

#include "batchscope/goodput/noise_scale.h"
#include "batchscope/protocol/error.h"
#include "batchscope/train/grad_scaler.h"
#include "batchscope/train/lr_scheduler.h"
#include "gradient/example_norms.h"
#include "gradient/gradient_sync.h"
#include "optimizer/gathered_states.h"
#include "tensor/tensor_file.h"

namespace batchscope::train {
namespace {

constexpr int kVersion = 1;
constexpr char kModule[] = "module/";

std::string previous_name(std::size_t parameter) { return "previous/" + std::to_string(parameter); }

std::string text(at::IntArrayRef sizes) {
  std::ostringstream out;
  out << sizes;
  return out.str();
}

// Gathered tensors stay in the file alone.
TensorWriter contents(const TrainingState::Parts& parts, const GroupOptions& given_options) {
  TensorWriter file;
  file.add_numbers("version", {kVersion});
  for (const auto& [name, tensor] : parts.module.all()) file.add(kModule + name, tensor);
  save_optimizer(parts.optimizer, given_options, file);
  drop_gathered(parts.optimizer);
  if (parts.scheduler) file.add_numbers("scheduler", parts.scheduler->state());
  if (parts.scaler && parts.scaler->enabled()) file.add_numbers("scaler", parts.scaler->state());
  file.add_numbers("noise", parts.noise.state());
  if (parts.examples) file.add_numbers("example_steps", {static_cast<double>(parts.examples->steps())});
  file.add_numbers("last_step", {parts.last_step.gain, parts.last_step.lr_factor, parts.last_step.scale});
  const std::vector<std::size_t> order = parts.gradients.order();
  file.add_numbers("order", {order.begin(), order.end()});
  const std::vector<at::Tensor> previous = parts.gradients.previous_gradient();
  file.add_numbers("previous", {static_cast<double>(previous.size())});
  for (std::size_t i = 0; i < previous.size(); ++i)
    if (previous[i].defined()) file.add(previous_name(i), previous[i]);
  return file;
}

// Throws Error(usage) naming the first thing in which the program's module is another one.
void compare(const std::vector<NamedTensor>& module, const TensorReader& file) {
  if (file.count(kModule) != module.size())
    throw Error(ErrorKind::usage, "the checkpoint's module has " + std::to_string(file.count(kModule)) +
                                      " parameters and buffers, this program's has " +
                                      std::to_string(module.size()));
  for (const auto& [name, tensor] : module) {
    const bool is_saved = file.has(kModule + name);
    if (is_saved && tensor.sizes() == file.sizes(kModule + name)) continue;
    throw Error(ErrorKind::usage, "this program has " + name + " of shape " + text(tensor.sizes()) +
                                      " where the checkpoint has " +
                                      (is_saved ? "shape " + text(file.sizes(kModule + name)) : "none"));
  }
}

}  // namespace

void TrainingState::sync() { gather_states(parts_.optimizer); }

void TrainingState::save(std::ostream& out) { contents(parts_, given_options_).write(out); }

checkpoint::State::Writer TrainingState::snapshot() {
  const auto file = std::make_shared<TensorWriter>(contents(parts_, given_options_));
  file->copy();
  return [file](std::ostream& out) { file->write(out); };
}

void TrainingState::load(std::istream& in) {
  const c10::NoGradGuard no_grad;
  TensorReader file(in, "the state '" + name() + "'");
  if (const auto version = static_cast<int>(file.number("version")); version > kVersion)
    throw Error(ErrorKind::version, "the state '" + name() + "' has version " + std::to_string(version) +
                                        ", written by a newer BatchScope; this one reads up to " +
                                        std::to_string(kVersion));
  const std::vector<NamedTensor> module = parts_.module.all();
  compare(module, file);
  for (const auto& [name, tensor] : module) file.read(kModule + name, tensor);
  load_optimizer(parts_.optimizer, file);
  if (parts_.scheduler && file.has("scheduler")) parts_.scheduler->restore(file.numbers("scheduler"));
  if (parts_.scaler && file.has("scaler")) parts_.scaler->restore(file.numbers("scaler"));
  parts_.noise.restore(file.numbers("noise"));
  if (parts_.examples && file.has("example_steps"))
    parts_.examples->continue_after(static_cast<std::int64_t>(file.number("example_steps")));
  const std::vector<double> last = file.numbers("last_step"), order = file.numbers("order");
  parts_.last_step = {last.at(0), last.at(1), last.size() > 2 ? last[2] : 0};
  parts_.gradients.restore_order({order.begin(), order.end()});

  std::vector<at::Tensor> previous(static_cast<std::size_t>(file.number("previous")));
  for (std::size_t i = 0; i < previous.size(); ++i)
    if (file.has(previous_name(i)))
      previous[i] = file.tensor(previous_name(i)).to(module.front().tensor.device());
  if (!previous.empty()) parts_.gradients.restore_previous_gradient(std::move(previous));
}

}  // namespace batchscope::train
