// SPDX-License-Identifier: Apache-2.0
//
// A replica that does one thing with collectives, by the name of its first argument.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "batchscope/train/collective.h"
#include "replica_main.h"

using namespace batchscope;
using protocol::Json;

namespace {

std::string join(const std::string& left, const std::string& right) { return left + "+" + right; }

Json everything() {
  const int rank = replica_rank();
  Json said;
  said["ordered"] = collective::all_reduce("names", std::to_string(rank), join);
  said["broadcast"] = collective::broadcast("seed", rank == 0 ? "of rank 0" : "of another");
  said["gather"] = collective::gather("states", std::string(static_cast<std::size_t>(rank), 'x'));
  said["sum"] = collective::sum("numbers", {0.1 * (rank + 1), 1.0});
  said["max"] = collective::max("largest", -rank);
  collective::barrier("end");
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
  if (what == "death" && rank == 1) ::raise(SIGKILL);
  if (what == "hub-death" && rank == 0) ::raise(SIGKILL);
  if (what == "hang" && rank == 1) ::raise(SIGSTOP);
  return failing("numbers");
}

}  // namespace

int main(int, char** arguments) {
  const std::string what = arguments[1];
  return testing::replica_main([&] { return work(what); },
                               what == "hang" ? std::chrono::milliseconds(5000) : std::chrono::seconds(20));
}
