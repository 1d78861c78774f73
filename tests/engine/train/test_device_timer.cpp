// SPDX-License-Identifier: Apache-2.0
//
// Times of a device's queue: on a GPU where there is one, and without one on a device that is none, but which
// LibTorch's events take for one.
#include <ATen/ATen.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include "device/device_timer.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::train;
using replica::Timer;

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 6)
#include <c10/core/impl/DeviceGuardImplInterface.h>
#define HAS_TIMES 1

namespace {

double queued_ms = 0, reached_ms = 0;  // of what was handed out, and of what is done

// One device with one queue, whose events are the milliseconds in front of them.
struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return c10::kPrivateUse1; }
  c10::Device exchangeDevice(c10::Device) const override { return getDevice(); }
  c10::Device getDevice() const override { return {c10::kPrivateUse1, 0}; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device device) const noexcept override {
    return c10::Stream(c10::Stream::DEFAULT, device);
  }
  c10::Stream exchangeStream(c10::Stream stream) const noexcept override { return stream; }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  void record(void** event, const c10::Stream&, c10::DeviceIndex, c10::EventFlag flag) const override {
    if (flag == c10::EventFlag::BACKEND_DEFAULT) *event = new double(queued_ms);  // the others tell no times
  }
  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override {
    delete static_cast<double*>(event);
  }
  void synchronizeEvent(void* event) const override {
    reached_ms = std::max(reached_ms, *static_cast<double*>(event));
  }
  bool queryEvent(void* event) const override { return *static_cast<double*>(event) <= reached_ms; }
  double elapsedTime(void* from, void* to, c10::DeviceIndex) const override {
    if (!queryEvent(to)) throw std::runtime_error("it has not come so far");
    return *static_cast<double*>(to) - *static_cast<double*>(from);
  }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

}  // namespace
#endif

class TestDeviceTimer : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void the_host_keeps_its_own() { QVERIFY(!make_device_timer(c10::kCPU)); }

  void an_event_tells_the_devices_time() {
#ifdef HAS_TIMES
    const auto timer = make_device_timer({c10::kPrivateUse1, 0});
    QVERIFY(!timer->at_once());
    queued_ms = 250;
    const Timer::Moment from = timer->now();
    queued_ms += 500;
    const Timer::Moment to = timer->now();
    QCOMPARE(reached_ms, 0.0);  // nobody has waited
    QCOMPARE(timer->seconds({from, to}), 0.5);
    QCOMPARE(reached_ms, 750.0);
#else
    QSKIP("this LibTorch's events tell no times");
#endif
  }

  // Work that is handed out to a GPU in a moment takes it much longer.
  void a_gpu_is_timed_by_its_own_clock() {
    if (!torch::cuda::is_available()) QSKIP("no GPU");
    const c10::Device gpu(c10::kCUDA, 0);
    const auto timer = make_device_timer(gpu);
    if (!timer) QSKIP("this LibTorch's events tell no times");
    at::Tensor square = at::randn({4096, 4096}, gpu);
    const auto multiply = [&] {
      for (int i = 0; i < 50; ++i) square = at::mm(square, square).clamp_(-1, 1);
    };
    multiply();
    torch::cuda::synchronize();
    replica::HostTimer host;
    const Timer::Moment host_from = host.now(), from = timer->now();
    multiply();
    const Timer::Moment handed_out = host.now(), to = timer->now();
    torch::cuda::synchronize();
    const double whole = host.seconds({host_from, host.now()}), told = timer->seconds({from, to});
    QVERIFY(told > host.seconds({host_from, handed_out}));
    QVERIFY(told > 0.5 * whole && told < whole * 1.01);
  }
};

BATCHSCOPE_TEST(TestDeviceTimer)
#include "test_device_timer.moc"
