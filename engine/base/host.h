#pragma once

#include <string>

/// The machine this process runs on.
namespace lockstep::base {

/// Its name, as messages and run.json have it.
std::string hostName();
/// Those in which the processor multiplies bfloat16, `AVX512_BF16` or `AMX`; empty: it has none,
/// and LibTorch is slower in it than in float32.
std::string bfloat16Instructions();

}  // namespace lockstep::base
