// SPDX-License-Identifier: Apache-2.0
//
// Texts in one process: what the batches hold, how columns go on, and that a recurrent network that carries
// its hidden state through them computes what it computes on the whole text.
#include <ATen/ATen.h>
#include <torch/nn/modules/rnn.h>

#include <QTemporaryDir>
#include <algorithm>

#include "adapt/metrics.h"
#include "adapt/step_context.h"
#include "batchscope/protocol/error.h"
#include "batchscope/replica/epoch.h"
#include "batchscope/train/adaptive_bptt_iterator.h"
#include "batchscope/train/process_group.h"
#include "steps.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;
using testing::in_an_epoch;

class TestBptt : public QObject {
  Q_OBJECT

  QTemporaryDir directory_;

 private Q_SLOTS:
  void initTestCase() {
    qputenv("ADAPTDL_CHECKPOINT_PATH", directory_.filePath("checkpoints").toUtf8());
    init_process_group();
  }

  void every_token_but_the_first_is_a_target_once_data() {
    QTest::addColumn<int>("tokens");
    QTest::addColumn<int>("batch_size");
    QTest::addColumn<int>("length");
    QTest::newRow("even") << 61 << 4 << 5;
    QTest::newRow("a short window and a short row") << 68 << 4 << 5;
    QTest::newRow("one short window") << 3 << 4 << 5;
    QTest::newRow("windows of one token") << 10 << 2 << 1;
  }
  void every_token_but_the_first_is_a_target_once() {
    QFETCH(int, tokens);
    QFETCH(int, batch_size);
    QFETCH(int, length);
    AdaptiveBPTTIterator iterator(at::arange(tokens), {.batch_size = batch_size, .bptt_len = length});
    std::vector<std::int64_t> targets;
    in_an_epoch([&] {
      for (const TextBatch& batch : iterator) {
        QCOMPARE(batch.data.sizes(), batch.target.sizes());
        QCOMPARE(batch.data.size(0), length);
        QCOMPARE(batch.data.size(1), batch.count);
        QCOMPARE(batch.continues.sizes(), (at::IntArrayRef{batch.count}));
        const at::Tensor real = batch.target != -100;
        QVERIFY(at::equal(batch.data.masked_select(real) + 1, batch.target.masked_select(real)));
        const at::Tensor found = batch.target.masked_select(real);
        targets.insert(targets.end(), found.data_ptr<std::int64_t>(),
                       found.data_ptr<std::int64_t>() + found.numel());
      }
    });
    std::sort(targets.begin(), targets.end());
    std::vector<std::int64_t> expected;
    for (int token = 1; token < tokens; ++token) expected.push_back(token);
    QCOMPARE(targets, expected);
  }

  void columns_go_on_within_a_pass() {
    AdaptiveBPTTIterator iterator(at::arange(101), {.batch_size = 4, .bptt_len = 5, .batch_first = true});
    for (int round = 0; round < 2; ++round)
      in_an_epoch([&] {
        at::Tensor last;
        for (const TextBatch& batch : iterator) {
          QCOMPARE(batch.data.size(1), 5);
          QCOMPARE(batch.continues.all().item<bool>(), last.defined());
          QCOMPARE(batch.continues.any().item<bool>(), last.defined());
          if (last.defined()) QVERIFY(at::equal(batch.data.select(1, 0), last + 1));
          last = batch.data.select(1, 4);
        }
      });
  }

  void a_carried_hidden_state_is_that_of_the_whole_column() {
    const at::NoGradGuard no_grad;
    torch::nn::LSTM lstm(torch::nn::LSTMOptions(1, 3));
    const at::Tensor text = at::randint(7, {37}, at::kLong);
    AdaptiveBPTTIterator iterator(text, {.batch_size = 2, .bptt_len = 4});  // 9 windows: columns of 5 and 4
    const auto whole = [&](std::int64_t from, std::int64_t to) {
      return std::get<0>(lstm->forward(text.slice(0, from, to).to(at::kFloat).view({-1, 1, 1})));
    };
    std::vector<at::Tensor> outputs;
    in_an_epoch([&] {
      at::Tensor h, c;
      for (const TextBatch& batch : iterator) {
        const auto n = batch.continues.size(0);
        const auto carry = [&](const at::Tensor& state) {
          return state.defined() ? (state.narrow(1, 0, n) * batch.continues.view({1, n, 1})).contiguous()
                                 : at::zeros({1, n, 3});
        };
        auto [output, state] =
            lstm->forward(batch.data.to(at::kFloat).unsqueeze(2), std::make_tuple(carry(h), carry(c)));
        std::tie(h, c) = state;
        outputs.push_back(output);
      }
    });
    QCOMPARE(outputs.size(), 5u);
    const at::Tensor last = outputs.back();
    outputs.pop_back();
    QCOMPARE(last.size(1), 1);
    QVERIFY(at::allclose(at::cat(outputs).select(1, 1), whole(20, 36).select(1, 0), 1e-5, 1e-6));
    outputs.push_back(last);
    for (at::Tensor& output : outputs) output = output.narrow(1, 0, 1);
    QVERIFY(at::allclose(at::cat(outputs), whole(0, 20), 1e-5, 1e-6));
  }

  // Two columns a micro-batch and two micro-batches a step: the second goes on where the first ended.
  void accumulation_goes_on_in_the_same_columns() {
    AdaptiveBPTTIterator iterator(at::arange(81), {.batch_size = 4, .bptt_len = 5});
    iterator.autoscale_batch_size(4, {1, 2}, true);
    in_an_epoch([&] {
      const double gain = (4.0 * (current_epoch() + 1) - metrics::progress()) / 8;
      int batches = 0;
      for (const TextBatch& batch : iterator) {
        QCOMPARE(batch.count, 2);
        QCOMPARE(batch.continues.all().item<bool>(), batches % 8 != 0);  // 16 windows a pass
        QCOMPARE(step_context().micro_step, batches % 2);
        ++batches;
        if (step_context().optimizer_step) metrics::commit_step({.gain = gain});
      }
      QCOMPARE(batches, 16);  // ends by progress, in the second pass
    });
  }

  void a_bad_text_is_refused() {
    const auto refused = [](const at::Tensor& tokens, std::int64_t length = 5, std::int64_t batch_size = 2) {
      try {
        AdaptiveBPTTIterator(tokens, {.batch_size = batch_size, .bptt_len = length});
      } catch (const Error& error) {
        return error.kind() == ErrorKind::usage;
      }
      return false;
    };
    QVERIFY(refused({}));
    QVERIFY(refused(at::zeros({20})));
    QVERIFY(refused(at::zeros({4, 5}, at::kLong)));
    QVERIFY(refused(at::zeros({1}, at::kLong)));
    QVERIFY(refused(at::zeros({20}, at::kLong), 0));
    QVERIFY(refused(at::zeros({20}, at::kLong), 5, 0));
  }
};

BATCHSCOPE_TEST(TestBptt)
#include "test_bptt.moc"
