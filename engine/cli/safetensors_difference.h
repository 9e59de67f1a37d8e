#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace lockstep::cli {

/// How the tensors of two safetensors files differ.
struct TensorDifference {
  std::size_t tensors = 0, different = 0;  ///< of both files
  /// The first that differs, in the order of their bytes.
  std::string first;
  std::string how;  ///< `by up to 0.0012`, `shape [64, 3] and [64, 4]`, `is missing in the second`
};

/// Bit for bit. Throws Error for a file that cannot be read or is damaged.
TensorDifference compareSafetensors(const std::filesystem::path& left,
                                    const std::filesystem::path& right);

}  // namespace lockstep::cli
