#pragma once

#include <QString>
#include <cstdint>
#include <functional>

#include "engine/coco/analysis/evaluated_image.h"

namespace lockstep::widgets {

struct MatchThresholds;

/// Why an object counts as missed: what became of the prediction that would have found it.
struct MissedReason {
  enum class Kind {
    Taken,       ///< right class, score and IoU, but it is matched with another object
    LowScore,    ///< right class and IoU, but below the score threshold
    OtherClass,  ///< right score and IoU, and not matched
    LowIou,      ///< right class and score, and not matched; at least the background's IoU
    OtherNear,   ///< right score; another class that overlaps it, matched or with too low an IoU
    NoneNear
  };
  Kind kind = Kind::NoneNear;
  double score = 0, iou = 0;  ///< of that prediction
  CategoryId category{};      ///< of that prediction

  bool operator==(const MissedReason&) const = default;
};

/// Of an object without a match at the thresholds, at which `judged` is; the first kind that there
/// is a prediction of, the one of highest IoU. For any thread.
MissedReason reasonOf(const coco::ImageOverlaps& overlaps, const coco::EvaluatedImage& judged,
                      std::uint32_t annotation, const MatchThresholds& thresholds);

using NameOfClass = std::function<QString(CategoryId)>;
/// "score 0.31", "as car"; empty: nothing is near the object.
QString shortText(const MissedReason& reason, const NameOfClass& nameOf);
/// A sentence without a full stop.
QString sentence(const MissedReason& reason, const NameOfClass& nameOf);

}  // namespace lockstep::widgets
