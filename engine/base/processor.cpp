#include "engine/base/processor.h"

namespace lockstep::base {

std::string bfloat16Instructions() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("amx-bf16")) return "AMX";
  if (__builtin_cpu_supports("avx512bf16")) return "AVX512_BF16";
#endif
  return {};
}

}  // namespace lockstep::base
