#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/coco/files/results.h"

/// The answer to `explain`: how the detections of one image came about. Boxes are in px of the
/// image file, scores are probabilities.
namespace lockstep::explanation {

using BoxXywh = std::array<double, 4>;

/// One level of the feature pyramid, finest first.
struct Level {
  BoxXywh place{};            ///< of its map in the image; beyond it where the image was padded
  int width = 0, height = 0;  ///< locations
  std::int64_t anchors = 0;   ///< of all locations
  std::int64_t matched = 0;   ///< of these, with an object
  std::string scores{};  ///< [height * width] bytes, row by row: the highest score of an anchor
                         ///< there, 0 … 255 of 0 … 1
  double score(int row, int column) const;
};

struct Truth {
  CategoryId category;
  BoxXywh box{};
};

struct Anchor {
  BoxXywh box{};
  int level = 0;
  double score = 0;
  int truth = -1;  ///< the object that it has to propose; -1: none
  double iou = 0;  ///< with that object
};

struct ClassScore {
  std::optional<CategoryId> category{};  ///< nullopt: background
  double score = 0;
};

/// What the RPN proposes: an anchor that was moved.
struct Proposal {
  BoxXywh box{}, anchor{};
  int level = 0;
  double score = 0;   ///< of the anchor
  ClassScore best{};  ///< the likeliest class but background
};

struct Detection {
  coco::Detection detection{};        ///< as `predict` finds it, with the pasted mask
  int proposal = 0;                   ///< that it is of
  std::vector<ClassScore> classes{};  ///< the likeliest ones of the proposal, at most five
  std::string mask{};  ///< [maskSide * maskSide] bytes, row by row: probabilities in the box, 0 …
                       ///< 255 of 0 … 1; empty: the model has no mask head
};

struct Explanation {
  ImageId image;
  int width = 0, height = 0;                    ///< px of the file
  double foregroundIou = 0, backgroundIou = 0;  ///< of anchors: matched from, background below
  double scoreThreshold = 0;                    ///< of detections
  std::vector<Level> levels{};
  std::vector<Truth> truths{};     ///< objects of the annotations that count
  std::vector<Anchor> anchors{};   ///< the matched ones, best first, and those with high scores
  std::int64_t proposalCount = 0;  ///< of all
  /// By falling score: the best ones, those of detections, and the nearest one of each object.
  std::vector<Proposal> proposals{};
  int maskSide = 0;                     ///< 28, unless model.mask_head.roi_resolution is set
  std::vector<Detection> detections{};  ///< by falling score
};

/// A probability as one of its bytes; NaN is 0.
std::uint8_t byteOf(double probability);

std::string toJson(const Explanation& explanation);
/// `name`: of the file, for messages. Throws Error for what toJson() does not write.
Explanation parseExplanation(const std::string& text, const std::string& name);

}  // namespace lockstep::explanation
