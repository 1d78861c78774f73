// SPDX-License-Identifier: Apache-2.0
//
// The sampler's order. The seed is CPython's tuple hash (Objects/tupleobject.c since 3.8: the xxHash64 round
// over the items' hashes; a small integer's hash is its value). The permutation is the one of torch.randperm
// on a CPU generator: a Mersenne twister of the seed's low 32 bits and the shuffle of Fisher and Yates, from
// the front.
#include "batchscope/replica/elastic_sampler.h"

#include <bit>
#include <numeric>
#include <random>
#include <string>
#include <utility>

#include "batchscope/protocol/error.h"

namespace batchscope {

ElasticSampler::ElasticSampler(std::int64_t dataset_size, int num_replicas, int rank, bool shuffle)
    : size_(dataset_size), replicas_(num_replicas), rank_(rank), shuffle_(shuffle) {
  if (dataset_size < 1) throw Error(ErrorKind::usage, "the dataset is empty");
  if (rank < 0 || rank >= num_replicas)
    throw Error(ErrorKind::usage, "rank " + std::to_string(rank) + " is not one of " +
                                      std::to_string(num_replicas) + " replicas");
}

void ElasticSampler::set_epoch(int epoch, std::int64_t index) {
  epoch_ = epoch;
  index_ = index;
}

std::int64_t ElasticSampler::length() const { return (size_ - index_ % size_ + replicas_ - 1) / replicas_; }

std::vector<std::int64_t> ElasticSampler::indices() const {
  const auto order = permutation(size_, epoch_, index_ / size_, shuffle_);
  std::vector<std::int64_t> mine;
  mine.reserve(static_cast<std::size_t>(length()));
  for (std::int64_t at = index_ % size_ + rank_; at < size_; at += replicas_) mine.push_back(order[at]);
  if (std::ssize(mine) < length()) mine.push_back(order[rank_ % size_]);
  return mine;
}

std::vector<std::int64_t> ElasticSampler::permutation(std::int64_t dataset_size, int epoch, std::int64_t pass,
                                                      bool shuffle) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(dataset_size));
  std::iota(order.begin(), order.end(), 0);
  if (!shuffle) return order;
  std::mt19937 generator(static_cast<std::uint32_t>(seed(epoch, pass)));
  for (std::int64_t at = 0; at + 1 < dataset_size; ++at)
    std::swap(order[at], order[at + generator() % (dataset_size - at)]);
  return order;
}

std::uint64_t ElasticSampler::seed(int epoch, std::int64_t pass) {
  constexpr std::uint64_t kPrime1 = 11400714785074694791u, kPrime2 = 14029467366897019727u,
                          kPrime5 = 2870177450012600261u;
  const std::uint64_t items[] = {static_cast<std::uint64_t>(epoch), static_cast<std::uint64_t>(pass)};
  std::uint64_t hash = kPrime5;
  for (const std::uint64_t item : items) hash = std::rotl(hash + item * kPrime2, 31) * kPrime1;
  hash += std::size(items) ^ (kPrime5 ^ 3527539u);
  return hash == ~std::uint64_t{0} ? 1546275796u : hash;
}

}  // namespace batchscope
