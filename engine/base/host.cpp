#include "engine/base/host.h"

#include <unistd.h>

#include <array>

namespace lockstep::base {

std::string hostName() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string bfloat16Instructions() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("amx-bf16")) return "AMX";
  if (__builtin_cpu_supports("avx512bf16")) return "AVX512_BF16";
#endif
  return {};
}

}  // namespace lockstep::base
