// SPDX-License-Identifier: Apache-2.0
//
// We do not link LibTorch; a small program beside ours does and answers in JSON.
#include <fmt/core.h>

#include <QCoreApplication>
#include <QFileInfo>
#include <QProcess>

#include "batchscope/protocol/error.h"
#include "doctor/doctor.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using Level = Finding::Level;

constexpr int kProbeTimeoutMs = 60'000;

Finding judgeBlas(const protocol::Json& probe) {
  const std::string name = probe.value("blas", say("unknown")), library = probe.value("blas_library", "");
  const std::string text = library.empty() ? name : fmt::format("{} ({})", name, library);
  if (name == "reference")
    return {Level::problem, "BLAS", say("{}: matrix products are some 50 times slower than need be", text),
            "apt-get install libopenblas0-pthread"};
  return {Level::ok, "BLAS", text};
}

Finding judgeCuda(const protocol::Json& probe, int gpus) {
  const int devices = probe.value("cuda_devices", 0);
  if (devices > 0) return {Level::ok, "CUDA", say("LibTorch uses {}", plural(devices, "device"))};
  if (gpus == 0) return {Level::ok, "CUDA", say("not needed: there is no GPU")};
  if (probe.value("cuda", false))
    return {Level::problem, "CUDA", say("LibTorch has CUDA but sees no device"),
            say("check that nvidia-smi runs, that the driver is as new as LibTorch's CUDA, and "
                "CUDA_VISIBLE_DEVICES")};
  return {Level::warning, "CUDA", say("this LibTorch has no CUDA, so the GPUs stay idle"),
          say("build with a LibTorch 2 that has it: LIBTORCH_ROOT=DIR cmake --preset cuda")};
}

Finding judgeBackends(const protocol::Json& probe) {
  std::string text;
  for (const auto& backend : probe.value("backends", protocol::Json::array()))
    text += (text.empty() ? "" : ", ") + backend.get<std::string>();
  if (text.empty())
    return {Level::problem, word("backends"),
            say("LibTorch was built without distributed backends: one replica only"),
            say("apt-get install libtorch-dev libgloo-dev, or take another build of LibTorch")};
  return {Level::ok, word("backends"), text};
}

// "Intel(R) MKL-DNN v2.6.3 (Git Hash N/A)", its old name, as "2.6.3"; empty where this LibTorch has none.
std::string oneDnnVersion(const std::string& reported) {
  const auto from = reported.find(" v");
  if (from == reported.npos) return {};
  return reported.substr(from + 2, reported.find(' ', from + 1) - from - 2);
}

bool allowsAmx(const std::string& limit) {
  const QString upper = QString::fromStdString(limit).toUpper();
  return upper.contains("AMX") || upper == "ALL" || upper == "DEFAULT";
}

Finding judgeOneDnn(const protocol::Json& probe) {
  const std::string version = oneDnnVersion(probe.value("onednn", "")),
                    limit = probe.value("onednn_limit", ""), fault = probe.value("amx_fault", "");
  if (version.empty()) return {Level::ok, "oneDNN", say("this LibTorch has none")};
  if (!fault.empty() && allowsAmx(limit))
    return {
        Level::problem, "oneDNN",
        say("{}, and your environment allows {}: bf16 kills the process, because {}", version, limit, fault),
        "unset ONEDNN_MAX_CPU_ISA DNNL_MAX_CPU_ISA"};
  if (!limit.empty())
    return {Level::ok, "oneDNN", say("{}, limited to {} by your environment", version, limit)};
  if (!fault.empty())
    return {Level::ok, "oneDNN", say("{}, which replicas limit to AVX512_CORE_BF16: {}", version, fault)};
  return {Level::ok, "oneDNN", version};
}

}  // namespace

std::vector<Finding> judgeProbe(const protocol::Json& probe, int gpus) {
  const std::string text =
      probe.value("torch", say("unknown version")) + ", " + plural(probe.value("threads", 0), "thread");
  return {{Level::ok, "LibTorch", text},
          judgeBlas(probe),
          judgeOneDnn(probe),
          judgeCuda(probe, gpus),
          judgeBackends(probe)};
}

std::vector<Finding> examineLibTorch(int gpus) {
  const QString program = QCoreApplication::applicationDirPath() + "/batchscope-probe";
  if (!QFileInfo(program).isExecutable())  // a wheel, or what ./dev run builds
    return {{Level::ok, "LibTorch",
             say("not checked: this installation has no batchscope-probe. Scripts use their own PyTorch")}};
  QProcess probe;
  probe.start(program, QStringList());
  if (!probe.waitForFinished(kProbeTimeoutMs) || probe.exitCode() != 0)
    return {{Level::problem, "LibTorch",
             say("does not load: {}", probe.readAllStandardError().trimmed().toStdString()),
             say("apt-get install --reinstall libtorch1.13, then ./dev build")}};
  try {
    return judgeProbe(protocol::parse_object(probe.readAllStandardOutput().toStdString()), gpus);
  } catch (const std::exception& error) {
    return {{Level::problem, "LibTorch",
             say("the answer of batchscope-probe cannot be read: {}", error.what()), "./dev build"}};
  }
}

}  // namespace batchscope::cli
