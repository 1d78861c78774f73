// SPDX-License-Identifier: Apache-2.0
//
// The bounds of what a person may set for the pool.
#include <cmath>

#include "batchscope/protocol/pool.h"
#include "rows.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::protocol;

namespace {

std::string many_nodes(int count) {
  std::string nodes = "n0";
  for (int i = 1; i < count; ++i) nodes += ",n" + std::to_string(i);
  return nodes;
}

}  // namespace

Q_DECLARE_METATYPE(PoolSettings)

class TestPoolSettings : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void whatMakesSense_data() {
    const auto row = testing::columns<PoolSettings>({"settings"});
    row("the defaults", {});
    for (const char* policy : kPoolPolicies) row(policy, {.policy = policy});
    row("all devices that a run may have", {.devices = 4096});
    row("the shortest turn", {.turn = 1});
    row("a day", {.turn = 86'400});
    row("the least price", {.price_per_device_hour = 1e-6});
    row("the highest price", {.price_per_device_hour = 1e9});
    row("commands", {.scale_command = "scale --to 3", .preempt_notice = "./notice", .agents_by = "srun -w"});
    row("an address", {.preempt_notice = "https://there/notice"});
    row("an address without a secret", {.preempt_notice = "http://there/notice"});
    row("a command that asks an address", {.preempt_notice = "curl -s file://there"});
    row("a command that begins like one", {.preempt_notice = "://there"});
    row("nodes", {.agents = many_nodes(4095)});
  }
  void whatMakesSense() {
    QFETCH(const PoolSettings, settings);
    settings.check();
  }

  void whatDoesNotIsNamed_data() {
    const auto row = testing::columns<PoolSettings, std::string>({"settings", "named"});
    row("policy", {.policy = "first"}, "the pool's policy 'first': expected one of fair, fast");
    row("fewer than none", {.devices = -1}, "-1 devices");
    row("more than a run may have", {.devices = 4097}, "4097 devices");
    row("short turns", {.turn = 0.99}, "turns of 0.99 s");
    row("long turns", {.turn = 86'401}, "turns of 86401 s");
    row("no turns", {.turn = NAN}, "turns of nan s");
    row("a low price", {.price_per_device_hour = 0.9e-6}, "a price of 9e-07");
    row("a high price", {.price_per_device_hour = 1.1e9}, "a price of 1100000000");
    row("a negative price", {.price_per_device_hour = -1}, "a price of -1");
    row("no price", {.price_per_device_hour = NAN}, "a price of nan");
    row("two lines to scale", {.scale_command = "a\nb"}, "the scale command holds a line break");
    row("two lines of notice", {.preempt_notice = "a\nb"}, "the preempt notice holds a line break");
    row("two lines for agents", {.agents_by = "a\nb"}, "the command for agents holds a line break");
    row("two lines for nodes", {.nodes_from = "a\nb"}, "the command for nodes holds a line break");
    row("another address", {.preempt_notice = "file://there"}, "the preempt notice 'file://there'");
    row("of another scheme", {.preempt_notice = "a+b-c.1://x"}, "the preempt notice 'a+b-c.1://x'");
    row("nodes", {.agents = "n2,n2"}, "node n2 is named twice");
    row("many nodes", {.agents = many_nodes(4096)}, "4096 nodes");
  }
  void whatDoesNotIsNamed() {
    QFETCH(const PoolSettings, settings);
    QFETCH(const std::string, named);
    VERIFY_THROWS("usage", named, settings.check());
  }
};

BATCHSCOPE_TEST(TestPoolSettings)
#include "test_pool_settings.moc"
