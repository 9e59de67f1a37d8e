#pragma once

#include <string>

/// The machine this process runs on.
namespace lockstep::base {

/// The hostname, as in messages and run.json.
std::string hostName();
/// The processor's bfloat16 multiply instructions, `AVX512_BF16` or `AMX`; empty: none, and
/// LibTorch is slower in bfloat16 than in float32.
std::string bfloat16Instructions();

}  // namespace lockstep::base
