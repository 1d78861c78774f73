// SPDX-License-Identifier: Apache-2.0
#include "device/onednn.h"

#include <ATen/Version.h>

#include <cstdio>
#include <cstdlib>
#include <tuple>

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace batchscope::train {

Amx amx_of_this_processor() {
  Amx amx;
#ifdef __x86_64__
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) amx.offered = d >> 24 & 1;  // AMX-TILE
  if (amx.offered && __get_cpuid_count(0x1D, 0, &a, &b, &c, &d)) amx.palettes = static_cast<int>(a);
#endif
  return amx;
}

std::string reason_against_amx(const Amx& amx, std::string_view version) {
  if (!amx.offered) return {};
  if (amx.palettes == 0)
    return "the processor offers AMX but no tiles for it, a fault of its virtual machine";
  const auto number = version.find(" v");
  int major = 0, minor = 0, patch = 0;
  if (number == version.npos ||
      std::sscanf(std::string(version.substr(number)).c_str(), " v%d.%d.%d", &major, &minor, &patch) != 3)
    return {};
  const auto version_number = std::tuple(major, minor, patch);
  if (version_number >= std::tuple(3, 1, 0) || (version_number >= std::tuple(2, 7, 4) && major == 2))
    return {};
  return "oneDNN " + std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch) +
         " uses AMX's tiles before it configures them";
}

const char* onednn_limit() {
  for (const char* name : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"})
    if (const char* limit = std::getenv(name); limit && *limit) return limit;
  return nullptr;
}

void limit_onednn(const Amx& amx) {
  if (!onednn_limit() && !reason_against_amx(amx, at::get_mkldnn_version()).empty())
    setenv("ONEDNN_MAX_CPU_ISA", kOnednnWithoutAmx, 1);
}

}  // namespace batchscope::train
