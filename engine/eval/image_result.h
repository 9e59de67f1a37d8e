#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/coco/files/results.h"
#include "engine/data/bad_image.h"
#include "engine/eval/evaluation.h"
#include "engine/eval/object_losses.h"

namespace lockstep::eval {

/// The evaluation result of one image.
struct ImageResult {
  LossValues losses{};
  std::vector<LossGroup> lossGroups;           ///< with the losses
  std::vector<coco::Detection> detections;     ///< by falling score
  std::optional<data::BadImageInfo> badImage;  ///< set if it cannot be read; then the rest is empty
};

/// Serialises results with their image indices, to send them to a rank on the same kind of machine.
/// Numbers keep their bits.
class ResultPack {
 public:
  void add(std::int64_t index, const ImageResult& result);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Deserialises another rank's results into their indices. Throws Error for corrupt bytes or
/// indices out of range.
void unpackResults(std::string_view bytes, std::vector<ImageResult>& results);

}  // namespace lockstep::eval
