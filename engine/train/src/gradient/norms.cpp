// SPDX-License-Identifier: Apache-2.0
//
// One loop for all passes: a Pass says how to turn element i into one or more values (and what to write on
// the way), the loop squares and sums them. It runs over vectors of the compiler, so that the same source
// gives SSE2 and AVX2 code; which one runs is decided by the processor. Each lane adds 32 squares in the
// gradient's own precision before they join the fp64 sum: one conversion instead of 32. They are added in
// four chains of eight, so that none waits for the sum before it, and the relative error of fp32 is 7e-7 at
// most. Every pass adds the same squares in the same order and roundings (CMakeLists.txt): a gradient has the
// same square to the last bit in whichever it is taken.
#include "gradient/norms.h"

#include <ATen/Parallel.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/add.h>
#include <ATen/ops/div.h>
#include <ATen/ops/stack.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <vector>

namespace batchscope::train {
namespace {

#define BATCHSCOPE_INLINE inline __attribute__((always_inline))

constexpr int kVectorBytes = 32;
constexpr std::int64_t kChains = 4;       // of vectors that are summed in their own precision
constexpr std::int64_t kTogether = 8;     // vectors of a chain
constexpr std::int64_t kGrain = 1 << 16;  // elements a thread is worth

template <class T>
using Vector __attribute__((vector_size(kVectorBytes))) = T;
template <class T>
constexpr std::int64_t kLanes = kVectorBytes / sizeof(T);

template <class V, class T>
BATCHSCOPE_INLINE void get(V& to, const T* from) {
  std::memcpy(&to, from, sizeof to);
}
template <class V, class T>
BATCHSCOPE_INLINE void put(T* to, const V& from) {
  std::memcpy(to, &from, sizeof from);
}

// The passes. step() handles one element (V = T) or a vector of them from index `at` on.
template <class T>
struct SquarePass {
  static constexpr int kSums = 1;
  const T* gradient;
  template <class V>
  BATCHSCOPE_INLINE void step(std::int64_t at, V (&values)[1]) const {
    get(values[0], gradient + at);
  }
};

template <class T, bool kAdd>
struct AccumulatePass {
  static constexpr int kSums = 1;
  T* destination;
  const T* gradient;
  T weight;
  template <class V>
  BATCHSCOPE_INLINE void step(std::int64_t at, V (&values)[1]) const {
    get(values[0], gradient + at);
    V result = values[0] * weight;
    if constexpr (kAdd) {
      V sum;
      get(sum, destination + at);
      result += sum;
    }
    put(destination + at, result);
  }
};

template <class T>
struct ScalePass {
  static constexpr int kSums = 1;
  T* tensor;
  T factor;
  template <class V>
  BATCHSCOPE_INLINE void step(std::int64_t at, V (&values)[1]) const {
    get(values[0], tensor + at);
    values[0] *= factor;
    put(tensor + at, values[0]);
  }
};

template <class T>
struct PairPass {
  static constexpr int kSums = 3;
  const T* current;
  const T* previous;
  template <class V>
  BATCHSCOPE_INLINE void step(std::int64_t at, V (&values)[3]) const {
    get(values[0], current + at);
    get(values[1], previous + at);
    values[2] = values[0] + values[1];
  }
};

template <class T, class Pass>
BATCHSCOPE_INLINE void loop(const Pass& pass, std::int64_t begin, std::int64_t end, double* sums) {
  constexpr int kSums = Pass::kSums;
  double lanes[kSums][kLanes<T>] = {};
  std::int64_t at = begin;
  while (at + kChains * kTogether * kLanes<T> <= end) {
    Vector<T> chains[kChains][kSums] = {};
    for (std::int64_t i = 0; i < kTogether; ++i)
      for (auto& chain : chains) {
        Vector<T> values[kSums];
        pass.step(at, values);
        for (int k = 0; k < kSums; ++k) chain[k] += values[k] * values[k];
        at += kLanes<T>;
      }
    for (int k = 0; k < kSums; ++k) {
      const Vector<T> together = (chains[0][k] + chains[1][k]) + (chains[2][k] + chains[3][k]);
      for (std::int64_t lane = 0; lane < kLanes<T>; ++lane) lanes[k][lane] += together[lane];
    }
  }
  for (int k = 0; k < kSums; ++k)
    for (const double lane : lanes[k]) sums[k] += lane;
  for (; at < end; ++at) {
    T values[kSums];
    pass.step(at, values);
    for (int k = 0; k < kSums; ++k) sums[k] += static_cast<double>(values[k] * values[k]);
  }
}

#if defined(__x86_64__)
template <class T, class Pass>
__attribute__((target("avx2,fma"), noinline)) void loop_avx2(const Pass& pass, std::int64_t begin,
                                                             std::int64_t end, double* sums) {
  loop<T>(pass, begin, end, sums);
}
#endif

template <class T, class Pass>
void run_loop(const Pass& pass, std::int64_t begin, std::int64_t end, double* sums) {
#if defined(__x86_64__)
  static const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2) return loop_avx2<T>(pass, begin, end, sums);
#endif
  loop<T>(pass, begin, end, sums);
}

// Large tensors are shared among the threads. Parts are of fixed bounds and summed in order, so that equal
// tensors give equal sums, bit for bit.
template <class T, class Pass>
std::array<double, Pass::kSums> run(const Pass& pass, std::int64_t count) {
  std::array<double, Pass::kSums> sums{};
  if (count <= 2 * kGrain || at::get_num_threads() == 1 || at::in_parallel_region()) {
    for (std::int64_t begin = 0; begin < count; begin += kGrain) {
      std::array<double, Pass::kSums> part{};
      run_loop<T>(pass, begin, std::min(begin + kGrain, count), part.data());
      for (int k = 0; k < Pass::kSums; ++k) sums[k] += part[k];
    }
    return sums;
  }
  std::vector<std::array<double, Pass::kSums>> parts(static_cast<std::size_t>((count + kGrain - 1) / kGrain));
  at::parallel_for(0, static_cast<std::int64_t>(parts.size()), 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      run_loop<T>(pass, i * kGrain, std::min((i + 1) * kGrain, count),
                  parts[static_cast<std::size_t>(i)].data());
  });
  for (const auto& part : parts)
    for (int k = 0; k < Pass::kSums; ++k) sums[k] += part[k];
  return sums;
}

bool dense(const at::Tensor& tensor) {
  return tensor.is_cpu() && tensor.layout() == at::kStrided && tensor.is_non_overlapping_and_dense() &&
         (tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kDouble);
}

// Both can be walked through memory side by side.
bool alike(const at::Tensor& left, const at::Tensor& right) {
  return dense(left) && dense(right) && left.scalar_type() == right.scalar_type() &&
         left.strides() == right.strides();
}

// Calls body(T) with the tensor's element type; it is one that dense() let through.
template <class Body>
void with_type(const at::Tensor& tensor, Body body) {
  tensor.scalar_type() == at::kFloat ? body(float{}) : body(double{});
}

}  // namespace

bool measured_at_once(const at::Tensor& gradient) { return dense(gradient); }

at::Tensor squares_of(std::vector<at::Tensor> tensors) {
  bool fp64 = false;
  for (at::Tensor& tensor : tensors) {
    if (tensor.element_size() < 4) tensor = tensor.to(at::kFloat);
    fp64 = fp64 || tensor.scalar_type() == at::kDouble;
  }
  std::vector<at::Tensor> norms = at::_foreach_norm(tensors);
  const auto alike = norms.front().options().dtype(fp64 ? at::kDouble : at::kFloat);
  for (at::Tensor& norm : norms) norm = norm.to(alike, /*non_blocking=*/true);
  return at::stack(norms).to(at::kDouble).square_();
}

at::Tensor SquareSum::on_device() const {
  if (waiting_.empty()) return device_;
  const at::Tensor sum = squares_of(waiting_).sum();
  return device_.defined() ? at::add(sum, device_.to(sum.device())) : sum;
}

void SquareSum::measure() {
  device_ = on_device();
  waiting_.clear();
}

void SquareSum::store(const at::Tensor& slot) const {
  if (const at::Tensor sum = on_device(); sum.defined())
    slot.copy_(host_ == 0 ? sum : at::add(sum, host_), /*non_blocking=*/true);
  else
    slot.fill_(host_);
}

std::vector<double> values(const std::vector<SquareSum>& sums) {
  std::vector<double> result;
  std::vector<at::Tensor> on_device;
  std::vector<std::size_t> whose;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    result.push_back(sums[i].host_);
    at::Tensor sum = sums[i].on_device();
    if (!sum.defined()) continue;
    on_device.push_back(on_device.empty() ? sum : sum.to(on_device.front().device()));
    whose.push_back(i);
  }
  if (on_device.empty()) return result;
  const at::Tensor fetched = at::stack(on_device).cpu();
  const double* next = fetched.data_ptr<double>();
  for (const std::size_t i : whose) result[i] += *next++;
  return result;
}

void add_square(const at::Tensor& gradient, SquareSum& sum, const at::Tensor& divisor) {
  if (divisor.defined()) return add_square(at::div(gradient, divisor), sum);
  if (!dense(gradient)) return sum.add(gradient);
  with_type(gradient, [&](auto type) {
    using T = decltype(type);
    sum.add(run<T>(SquarePass<T>{gradient.data_ptr<T>()}, gradient.numel())[0]);
  });
}

void accumulate(const at::Tensor& destination, const at::Tensor& gradient, double weight, bool add,
                SquareSum& sum, const at::Tensor& divisor) {
  if (divisor.defined()) {
    add_square(gradient, sum, divisor);
    SquareSum undivided;
    return accumulate(destination, gradient, weight, add, undivided);
  }
  if (!alike(destination, gradient)) {
    add_square(gradient, sum);
    add ? destination.add_(gradient, weight) : destination.copy_(gradient).mul_(weight);
    return;
  }
  with_type(gradient, [&](auto type) {
    using T = decltype(type);
    T* to = destination.data_ptr<T>();
    const T* from = gradient.data_ptr<T>();
    const T w = static_cast<T>(weight);
    sum.add(add ? run<T>(AccumulatePass<T, true>{to, from, w}, gradient.numel())[0]
                : run<T>(AccumulatePass<T, false>{to, from, w}, gradient.numel())[0]);
  });
}

void scale(const at::Tensor& tensor, double factor, SquareSum& sum, const at::Tensor& divisor) {
  if (divisor.defined()) {
    SquareSum undivided;
    scale(tensor, factor, undivided);
    return add_square(tensor, sum, divisor);
  }
  if (factor == 1) return add_square(tensor, sum);
  if (!dense(tensor)) return sum.add(tensor.mul_(factor));
  with_type(tensor, [&](auto type) {
    using T = decltype(type);
    sum.add(run<T>(ScalePass<T>{tensor.data_ptr<T>(), static_cast<T>(factor)}, tensor.numel())[0]);
  });
}

void add_pair(const at::Tensor& current, const at::Tensor& previous, PairSquares& sums,
              const at::Tensor& divisor) {
  if (divisor.defined()) return add_pair(at::div(current, divisor), at::div(previous, divisor), sums);
  if (!alike(current, previous)) {
    add_square(current, sums.current);
    add_square(previous, sums.previous);
    add_square(at::add(current, previous).mul_(0.5), sums.mean);
    return;
  }
  with_type(current, [&](auto type) {
    using T = decltype(type);
    const auto [now, before, both] =
        run<T>(PairPass<T>{current.data_ptr<T>(), previous.data_ptr<T>()}, current.numel());
    sums.current.add(now);
    sums.previous.add(before);
    sums.mean.add(both / 4);
  });
}

}  // namespace batchscope::train
