// SPDX-License-Identifier: Apache-2.0
//
// Keeps oneDNN, which LibTorch computes with on a CPU, from AMX where that would kill the process (SIGILL in
// a `tilezero`). AMX's instructions, which oneDNN takes for bf16 on Sapphire Rapids and later, want tiles
// that were configured from one of the processor's palettes. Two ways lead to tiles that were not:
//  - A virtual machine offers AMX (CPUID leaf 7) but names no palette (leaf 0x1D is empty). oneDNN, until
//    3.13 at least, looks at leaf 7 alone, and the largest palette is then number 0, which configures
//    nothing: https://github.com/uxlfoundation/oneDNN/issues/5689.
//  - Before 2.7.4 and 3.1 its products of matrices leave tiles as an earlier block of another shape had them:
//    https://github.com/uxlfoundation/oneDNN/issues/1661.
// It is neither threads nor forks: each thread configures its tiles anew in every call, and the system's
// leave to use them (arch_prctl) is asked for by oneDNN, holds for all threads and passes to forked children.
#pragma once

#include <string>
#include <string_view>

namespace batchscope::train {

struct Amx {
  bool offered = false;  // CPUID leaf 7
  int palettes = 0;      // leaf 0x1D
};

Amx amx_of_this_processor();

// Why AMX must not be used; empty where it may be, or is not there. The version as at::get_mkldnn_version()
// has it: "Intel(R) MKL-DNN v2.6.3 (Git Hash N/A)".
std::string reason_against_amx(const Amx& amx, std::string_view version);

// ONEDNN_MAX_CPU_ISA or DNNL_MAX_CPU_ISA: the user's own limit, which is left alone. Null where there is
// none.
const char* onednn_limit();

inline constexpr const char* kOnednnWithoutAmx = "AVX512_CORE_BF16";

// Sets ONEDNN_MAX_CPU_ISA where there is a reason and no limit yet. oneDNN reads it in its first call, so
// this has to come before the program's first convolution or product; children inherit it.
void limit_onednn(const Amx& amx = amx_of_this_processor());

}  // namespace batchscope::train
