// SPDX-License-Identifier: Apache-2.0
#include "gradient/previous_gradient.h"

#include <ATen/ops/empty_like.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace batchscope::train {

PreviousGradient::PreviousGradient(const std::vector<std::size_t>& group_of, bool divided)
    : copying_(divided) {
  for (const std::size_t group : group_of) {
    entries_.emplace_back().group = group;
    groups_ = std::max(groups_, group + 1);
  }
}

void PreviousGradient::measure(std::size_t parameter, const at::Tensor& gradient, const at::Tensor& divisor) {
  Entry& entry = entries_[parameter];
  entry.present = true;
  entry.squares = {};
  if (entry.previous.defined())
    add_pair(gradient, entry.previous, entry.squares, divisor);
  else
    add_square(gradient, entry.squares.current, divisor);
  // Off the CPU a norm is only known after waiting for the device: copy rather than compare.
  copying_ = copying_ || !gradient.is_cpu();
  if (!copying_) return;
  if (!entry.copy.defined()) entry.copy = at::empty_like(gradient);
  entry.copy.copy_(gradient);
}

PreviousGradient::Norms PreviousGradient::advance(const std::vector<at::Tensor>& parameters) {
  std::vector<SquareSum> sums;
  sums.reserve(3 * entries_.size());
  for (const Entry& entry : entries_)
    sums.insert(sums.end(), {entry.squares.current, entry.squares.previous, entry.squares.mean});
  const std::vector<double> squares = values(sums);

  Norms norms{std::vector<double>(groups_), std::vector<double>(groups_), std::vector<double>(groups_),
              known_};
  bool touched = false;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    // Where a parameter has a gradient in one of the two steps only, the other one's is zero.
    const bool pair = entry.present && entry.previous.defined();
    const double current = squares[3 * i];
    const double previous = pair ? squares[3 * i + 1] : entry.previous_square;
    norms.current[entry.group] += current;
    norms.previous[entry.group] += previous;
    norms.mean[entry.group] += pair ? squares[3 * i + 2] : (current + previous) / 4;
    norms.pair = norms.pair && std::isfinite(previous);
    touched = touched || (!copied_ && previous != entry.previous_square);

    if (!entry.present)
      entry.previous.reset();
    else if (copying_)
      std::swap(entry.previous, entry.copy);
    else
      entry.previous = parameters[i].grad();
    entry.previous_square = current;
    entry.present = false;
    entry.squares = {};
  }
  copied_ = copying_;
  if (norms.pair && touched) {
    norms.pair = false;
    copying_ = true;
  }
  known_ = true;
  return norms;
}

void PreviousGradient::forget() {
  known_ = false;
  for (Entry& entry : entries_) {
    entry.previous.reset();
    entry.previous_square = 0;
    entry.present = false;
    entry.squares = {};
  }
}

std::vector<at::Tensor> PreviousGradient::tensors() const {
  std::vector<at::Tensor> tensors;
  if (known_)
    for (const Entry& entry : entries_) tensors.push_back(entry.previous);
  return tensors;
}

void PreviousGradient::restore(std::vector<at::Tensor> tensors) {
  forget();
  if (tensors.size() != entries_.size()) return;
  std::vector<SquareSum> sums(entries_.size());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    entries_[i].previous = std::move(tensors[i]);
    if (entries_[i].previous.defined()) add_square(entries_[i].previous, sums[i]);
  }
  const std::vector<double> squares = values(sums);
  for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i].previous_square = squares[i];
  known_ = copied_ = true;
}

}  // namespace batchscope::train
