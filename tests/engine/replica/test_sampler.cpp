// SPDX-License-Identifier: Apache-2.0
//
// The sampler's order against AdaptDL's, recorded.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "../goodput/golden.h"
#include "batchscope/protocol/error.h"
#include "batchscope/replica/elastic_sampler.h"
#include "test_case.h"

using batchscope::ElasticSampler;
using nlohmann::json;
namespace golden = batchscope::golden;

class TestSampler : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void seeds_are_pythons_tuple_hashes() {
    const json vectors = golden::load("sampler.json");
    QVERIFY(!vectors.at("tuple_hash_seeds").empty());
    for (const json& row : vectors.at("tuple_hash_seeds"))
      QCOMPARE(QString::number(ElasticSampler::seed(row.at("epoch"), row.at("pass_number"))),
               QString::fromStdString(row.at("seed_uint64")));
  }

  // Keys are "size:seed"; which epoch and pass have that seed is recorded too.
  void every_recorded_permutation() {
    const json vectors = golden::load("sampler.json");
    std::map<std::string, std::pair<int, std::int64_t>> drawn_by;
    for (const char* table : {"tuple_hash_seeds", "cases"})
      for (const json& row : vectors.at(table))
        if (row.contains("seed")) drawn_by[row.at("seed")] = {row.at("epoch"), row.at("pass_number")};
    QVERIFY(!vectors.at("permutations").empty());
    for (const auto& [key, expected] : vectors.at("permutations").items()) {
      const std::size_t colon = key.find(':');
      const auto found = drawn_by.find(key.substr(colon + 1));
      QVERIFY2(found != drawn_by.end(), key.c_str());
      const auto [epoch, pass] = found->second;
      QCOMPARE(ElasticSampler::permutation(std::stoll(key.substr(0, colon)), epoch, pass, true),
               expected.get<std::vector<std::int64_t>>());
    }
  }

  // Whatever the replica counts and however often they change: a rank's padding sample comes last, and
  // without it the pass has every sample once.
  void every_sample_once_whatever_the_replica_counts() {
    std::mt19937 random(3);
    const auto upto = [&](std::int64_t most) { return 1 + static_cast<std::int64_t>(random()) % most; };
    for (int round = 0; round < 300; ++round) {
      const std::int64_t size = upto(200), pass = upto(3);
      std::vector<int> used(static_cast<std::size_t>(size));
      for (std::int64_t position = 0; position < size;) {
        const int replicas = static_cast<int>(upto(9));
        // Each rank uses as many indices as some steps take; the rest is left to the next generation.
        const std::int64_t steps = upto((size - position + replicas - 1) / replicas);
        for (int rank = 0; rank < replicas; ++rank) {
          ElasticSampler sampler(size, replicas, rank, true);
          sampler.set_epoch(round, pass * size + position);
          const auto indices = sampler.indices();
          QCOMPARE(std::ssize(indices), sampler.length());
          for (std::int64_t step = 0; step < steps; ++step)
            if (position + step * replicas + rank < size)  // no padding
              ++used[static_cast<std::size_t>(indices.at(static_cast<std::size_t>(step)))];
        }
        position += steps * replicas;
      }
      QCOMPARE(std::count(used.begin(), used.end(), 1), size);
    }
  }

  void every_recorded_case() {
    const json vectors = golden::load("sampler.json");
    QVERIFY(!vectors.at("cases").empty());
    for (const json& row : vectors.at("cases")) {
      const int replicas = row.at("num_replicas");
      for (int rank = 0; rank < replicas; ++rank) {
        ElasticSampler sampler(row.at("dataset_size"), replicas, rank, row.at("shuffle"));
        sampler.set_epoch(row.at("epoch"), row.at("index"));
        const auto indices = sampler.indices();
        QCOMPARE(sampler.length(), row.at("length").get<std::int64_t>());
        QCOMPARE(std::ssize(indices), sampler.length());
        const json& expected = row.at("indices_by_rank").at(static_cast<std::size_t>(rank));
        if (expected.is_null()) {
          // AdaptDL fails here: more replicas than samples. Ours pads with what there is.
          QVERIFY(indices.front() >= 0 && indices.front() < row.at("dataset_size").get<std::int64_t>());
        } else {
          QCOMPARE(indices, expected.get<std::vector<std::int64_t>>());
        }
      }
    }
  }

  void large_permutations() {
    for (const json& row : golden::load("sampler.json").at("big_permutations")) {
      const auto order =
          ElasticSampler::permutation(row.at("dataset_size"), row.at("epoch"), row.at("pass_number"), true);
      const auto first = row.at("first32").get<std::vector<std::int64_t>>();
      const auto last = row.at("last32").get<std::vector<std::int64_t>>();
      QVERIFY(std::equal(first.begin(), first.end(), order.begin()));
      QVERIFY(std::equal(last.rbegin(), last.rend(), order.rbegin()));
    }
  }

  void refuses_what_makes_no_sense() {
    QVERIFY_EXCEPTION_THROWN(ElasticSampler(0, 1, 0, true), batchscope::Error);
    QVERIFY_EXCEPTION_THROWN(ElasticSampler(5, 2, 2, true), batchscope::Error);
    QVERIFY_EXCEPTION_THROWN(ElasticSampler(5, 2, -1, true), batchscope::Error);
    QCOMPARE(ElasticSampler(1, 1, 0, true).indices(), std::vector<std::int64_t>{0});
  }
};

BATCHSCOPE_TEST(TestSampler)
#include "test_sampler.moc"
