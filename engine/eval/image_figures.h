#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/coco/files/results.h"
#include "engine/data/bad_image.h"
#include "engine/eval/evaluation.h"

namespace lockstep::eval {

/// What one image gave.
struct ImageFigures {
  LossValues losses{};
  std::vector<coco::Detection> detections;  ///< best first
  std::optional<data::ImageFault> fault;    ///< it cannot be read: there is nothing else
};

/// The figures of some images, with their places among all, as bytes for another rank of the same
/// kind of machine. Numbers keep their bits.
class FigurePack {
 public:
  void add(std::int64_t index, const ImageFigures& figures);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Puts what another rank packed in its places. Throws Error for bytes that are no pack, or places
/// outside.
void unpackFigures(std::string_view bytes, std::vector<ImageFigures>& figures);

}  // namespace lockstep::eval
