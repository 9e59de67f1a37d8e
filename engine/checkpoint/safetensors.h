#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::checkpoint {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;
using Metadata = std::map<std::string, std::string>;

struct SafetensorsFile {
  NamedTensors tensors;  ///< CPU, contiguous, in the order of their bytes
  Metadata metadata;
  std::string name{};  ///< of the file it was read from, for messages

  /// The tensor with that name, or nullptr.
  const at::Tensor* find(const std::string& wanted) const;
};

/// Reads a safetensors file (F64 F32 F16 BF16 I64 I32 I16 I8 U8 BOOL). Validates untrusted input:
/// throws Error, one line with the file and the tensor, for a header that is too long, has over
/// 10,000 tensors, is invalid JSON or incomplete, an unknown dtype, a shape that does not match the
/// byte count, offsets outside the file, overlaps and gaps.
SafetensorsFile readSafetensors(const std::filesystem::path& file);

/// Size and checksum of a written file, to detect corruption later.
struct WrittenFile {
  std::uint64_t bytes = 0;
  std::uint32_t crc32c = 0;
};

/// Writes tensors (from any device, in the order given) and syncs the file. Names must be unique.
/// The output is deterministic. Throws Error.
WrittenFile writeSafetensors(const std::filesystem::path& file, const NamedTensors& tensors,
                             const Metadata& metadata = {});

}  // namespace lockstep::checkpoint
