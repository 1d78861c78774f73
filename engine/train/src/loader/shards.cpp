// SPDX-License-Identifier: Apache-2.0
#include "batchscope/train/shards.h"

#include <algorithm>
#include <istream>
#include <iterator>
#include <map>
#include <ostream>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "batchscope/replica/checkpoint.h"
#include "batchscope/replica/elastic_sampler.h"

namespace batchscope {

// How many samples each shard has that was read through, by its number.
class Shards::Lengths : public checkpoint::State {
 public:
  Lengths(const std::string& name, std::int64_t shards) : State(name), shards_(shards) {}

  void save(std::ostream& out) override {
    out << protocol::Json{{"shards", shards_}, {"lengths", known}}.dump();
  }

  // Lengths of other data say nothing.
  void load(std::istream& in) override {
    const protocol::Json saved = protocol::parse_object(std::string(std::istreambuf_iterator<char>(in), {}));
    if (saved.at("shards") == shards_) saved.at("lengths").get_to(known);
  }

  std::map<std::int64_t, std::int64_t> known;

 private:
  const std::int64_t shards_;
};

Shards::Shards(std::int64_t count, bool shuffle, const std::string& name) : count_(count), shuffle_(shuffle) {
  if (count < 1)
    throw Error(ErrorKind::usage,
                "Shards: there are no shards: check the folder and the pattern of the files");
  lengths_ = std::make_unique<Lengths>(name, count);
  checkpoint::load_state(*lengths_);
}

Shards::~Shards() = default;

void Shards::begin(int epoch, std::int64_t skipped) {
  order_ = ElasticSampler::permutation(count_, std::max(epoch, 0), 0, shuffle_);
  opened_ = 0;
  skipped_ = skipped;
}

std::optional<StreamSample> Shards::next() {
  for (bool is_open = opened_ > 0;; is_open = true) {
    if (is_open) {
      while (std::optional<StreamSample> sample = read()) {
        ++read_;
        if (skipped_ == 0) return sample;
        --skipped_;
      }
      lengths_->known[order_[opened_ - 1]] = read_;
    }
    const auto is_skipped = [this](std::int64_t shard) {
      const auto length = lengths_->known.find(shard);
      return length != lengths_->known.end() && length->second <= skipped_;
    };
    for (; opened_ < order_.size() && is_skipped(order_[opened_]); ++opened_)
      skipped_ -= lengths_->known.at(order_[opened_]);
    if (opened_ == order_.size()) return std::nullopt;
    read_ = 0;
    open(order_[opened_++]);
  }
}

}  // namespace batchscope
