#pragma once

#include <string>

namespace lockstep::base {

/// Those in which the processor multiplies bfloat16, `AVX512_BF16` or `AMX`; empty: it has none,
/// and LibTorch is slower in it than in float32.
std::string bfloat16Instructions();

}  // namespace lockstep::base
