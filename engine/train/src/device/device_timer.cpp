// SPDX-License-Identifier: Apache-2.0
#include "device/device_timer.h"

#include <torch/version.h>

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace batchscope::train {
namespace {

class EventTimer final : public replica::Timer {
 public:
  explicit EventTimer(c10::Device device) : device_(device), queues_(device.type()) {}

  Moment now() override {
    const auto event = std::make_shared<c10::Event>(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
    event->record(queues_.getStream(device_));
    return {0, event};
  }
  double seconds(const Interval& interval) override {
    const auto& from = event_of(interval.from);
    const auto& to = event_of(interval.to);
    to.synchronize();
    return from.elapsedTime(to) / 1000;  // of milliseconds
  }
  bool at_once() const override { return false; }

 private:
  static const c10::Event& event_of(const Moment& moment) {
    return *static_cast<const c10::Event*>(moment.event.get());
  }

  const c10::Device device_;
  const c10::impl::VirtualGuardImpl queues_;
};

}  // namespace

std::unique_ptr<replica::Timer> make_device_timer(c10::Device device) {
  return device.is_cpu() ? nullptr : std::make_unique<EventTimer>(device);
}

}  // namespace batchscope::train

#else

std::unique_ptr<batchscope::replica::Timer> batchscope::train::make_device_timer(c10::Device) {
  return nullptr;
}

#endif
