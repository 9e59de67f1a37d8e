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

  /// The tensor of that name, or nullptr.
  const at::Tensor* find(const std::string& wanted) const;
};

/// Reads a safetensors file (F64 F32 F16 BF16 I64 I32 I16 I8 U8 BOOL). Nothing in the file is
/// trusted: throws Error in one line that names the file, and the tensor, for a header that is too
/// long, no JSON or incomplete, an unknown type, a shape that does not fit its bytes, bytes outside
/// the file, overlaps and gaps.
SafetensorsFile readSafetensors(const std::filesystem::path& file);

/// What was written, so that damage can be told later.
struct WrittenFile {
  std::uint64_t bytes = 0;
  std::uint32_t crc32c = 0;
};

/// Writes tensors (of any device, in the order given) and syncs the file. Throws Error. Names must
/// differ. The same input gives the same bytes.
WrittenFile writeSafetensors(const std::filesystem::path& file, const NamedTensors& tensors,
                             const Metadata& metadata = {});

}  // namespace lockstep::checkpoint
