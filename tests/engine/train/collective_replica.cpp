// SPDX-License-Identifier: Apache-2.0
//
// A replica that does one thing with collectives, by the name of its first argument.
#include <ATen/ATen.h>
#include <dlfcn.h>
#include <sys/resource.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>

#include "batchscope/replica/collective.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "replica_main.h"
#include "train_replica.h"

namespace batchscope::testing::collective_replica {

using protocol::Json;

namespace {

std::string join(const std::string& left, const std::string& right) { return left + "+" + right; }

struct Best {
  double loss = 0;
  int rank = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Best, loss, rank)

Json values() {
  const int rank = replica_rank();
  Json said;
  said["exact"] = collective::all_reduce("exact", (std::int64_t{1} << 53) + rank, std::plus<>());
  said["any"] = collective::all_reduce("any", rank == 0, std::logical_or<>());
  const auto better = [](const Best& a, const Best& b) { return b.loss < a.loss ? b : a; };
  said["best"] = collective::all_reduce("best", Best{1.0 / (rank + 1), rank}, better);
  auto later = collective::all_reduce_async("later", std::vector<int>{rank}, [](auto a, const auto& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  });
  said["sent"] = collective::broadcast("sent", std::map<std::string, int>{{"rank", rank}});
  said["gathered"] = collective::gather("gathered", std::pair(rank, "x" + std::to_string(rank)));
  said["later"] = later.get();
  return said;
}

// Less is left than OpenBLAS takes for a thread.
void narrow_address_space() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlimit limit{pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (64u << 20), RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
}

Json everything() {
  const int rank = replica_rank();
  Json said;
  said["ordered"] = collective::all_reduce("names", std::to_string(rank), join);
  said["broadcast"] = collective::broadcast("seed", rank == 0 ? "of rank 0" : "of another");
  said["gather"] = collective::gather("states", std::string(static_cast<std::size_t>(rank), 'x'));
  said["sum"] = collective::sum("numbers", {0.1 * (rank + 1), 1.0});
  said["max"] = collective::max("largest", -rank);
  collective::barrier("end");
  said["values"] = values();
  // Started early, waited for late, with other calls in between; the last is never waited for.
  auto first = collective::all_reduce_async("first", "a" + std::to_string(rank), join);
  auto second = collective::all_reduce_async("second", "b" + std::to_string(rank), join);
  said["between"] = collective::sum("between", 1.0);
  said["second"] = second.wait();
  said["first"] = first.wait();
  collective::all_reduce_async("forgotten", "", join);
  // Larger than any socket's buffer.
  said["large"] =
      collective::gather("large", std::string(3'000'000, static_cast<char>('a' + rank))).back().size();
  try {
    first.wait();
  } catch (const Error& error) {
    said["twice"] = error_kind_name(error.kind());
  }
  return said;
}

// Both calls fail: the first failure is final.
Json failing(const std::string& tag) {
  Json said;
  for (const char* call : {"first", "second"}) try {
      collective::sum(tag, 1.0);
    } catch (const Error& error) {
      said[call] = {{"kind", error_kind_name(error.kind())}, {"message", error.what()}};
    }
  return said;
}

// Trains a layer on data of this rank's own.
// In the third step, this rank sends itself the signal, if any.
Json gradients(int signal = 0) try {
  at::manual_seed(replica_rank());
  torch::nn::Linear layer(5, 3);  // rank 0's is everyone's
  torch::optim::SGD optimizer(layer->parameters(), torch::optim::SGDOptions(0.1));
  AdaptiveDataParallel adp(*layer, optimizer);
  for (int step = 0; step < 5; ++step) {
    adp.zero_grad();
    const at::Tensor loss = layer->forward(at::randn({4, 5})).pow(2).mean();
    if (step == 2 && signal != 0) ::raise(signal);
    loss.backward();
    adp.step();
  }
  const at::Tensor weights = layer->weight.detach().flatten();
  return {{"weights", std::vector(weights.data_ptr<float>(), weights.data_ptr<float>() + weights.numel())},
          {"gain", adp.gain()}};
} catch (const Error& error) {
  return {{"kind", error_kind_name(error.kind())}, {"message", error.what()}};
}

// Rank 1 is longer than a barrier's own time-out allows, and shorter than the group's.
Json late() {
  if (replica_rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(3));
  try {
    collective::barrier("soon", std::chrono::milliseconds(200));
  } catch (const Error& error) {
    return {{"kind", error_kind_name(error.kind())}, {"message", error.what()}};
  }
  return "met";
}

Json work(const std::string& what) {
  const int rank = replica_rank();
  if (what == "everything") return everything();
  if (what == "mismatch") return failing(rank == 1 ? "apples" : "pears");
  if (what == "lengths") {
    try {
      collective::sum("numbers", std::vector<double>(static_cast<std::size_t>(rank + 1)));
    } catch (const Error& error) {
      return {{"message", error.what()}};
    }
  }
  // The others are past their meeting, too, by then.
  if (what == "death") collective::barrier("all are there");
  if (what == "death" && rank == 1) ::raise(SIGKILL);
  if (what == "hub-death" && rank == 0) ::raise(SIGKILL);
  if (what == "hang" && rank == 1) ::raise(SIGSTOP);
  if (what == "hub-hang" && rank == 0) ::raise(SIGSTOP);
  if (what == "late") return late();
  if (what == "narrow") return {{"openblas", dlsym(RTLD_DEFAULT, "openblas_get_config") != nullptr}};
  if (what == "gradients") return gradients();
  if (what == "gradients-death") return gradients(rank == 1 ? SIGKILL : 0);
  if (what == "gradients-hang") return gradients(rank == 1 ? SIGSTOP : 0);
  return failing("numbers");
}

}  // namespace

// The second argument, where there is one, says where to meet.
int run(int count, char** arguments) {
  const std::string what = arguments[1];
  if (what == "narrow") narrow_address_space();
  return replica_main([&] { return work(what); }, count > 2 ? arguments[2] : "env://",
                      what.ends_with("hang") ? std::chrono::seconds(5) : std::chrono::seconds(20));
}

}  // namespace batchscope::testing::collective_replica
