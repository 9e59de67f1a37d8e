#include "widgets/instances/missed_reason.h"

#include <QCoreApplication>
#include <algorithm>
#include <optional>

#include "widgets/instances/instance_match.h"

namespace lockstep::widgets {
namespace {

using Kind = MissedReason::Kind;

struct MissedReasonText {
  Q_DECLARE_TR_FUNCTIONS(MissedReason)
};

QString hundredths(double value) { return QString::number(value, 'f', 2); }

/// `isMatched`: with another object. std::nullopt: the object would be missed without this
/// prediction, too.
std::optional<Kind> kindOf(bool isOfClass, bool isShown, bool isMatched, bool isNear) {
  if (!isShown) return isOfClass && isNear ? std::optional(Kind::LowScore) : std::nullopt;
  if (!isOfClass) return isNear && !isMatched ? Kind::OtherClass : Kind::OtherNear;
  if (isNear) return Kind::Taken;
  return isMatched ? std::nullopt : std::optional(Kind::LowIou);
}

}  // namespace

MissedReason reasonOf(const coco::ImageOverlaps& overlaps, const coco::EvaluatedImage& judged,
                      std::uint32_t annotation, const MatchThresholds& thresholds) {
  MissedReason best;
  const double least = std::min(coco::kBackgroundIou, thresholds.iou);
  for (const coco::Overlap& pair : overlaps.pairs) {
    if (pair.annotation != annotation || pair.iou < least) continue;
    const coco::OverlapDetection& detection = overlaps.detections[pair.detection];
    const bool isShown = pair.detection < judged.detections.size();
    const bool isMatched = isShown && judged.detections[pair.detection].match.verdict ==
                                          coco::MatchVerdict::TruePositive;
    const auto kind = kindOf(detection.category == overlaps.annotations[annotation].category,
                             isShown, isMatched, pair.iou >= thresholds.iou);
    if (!kind || *kind > best.kind || (*kind == best.kind && pair.iou <= best.iou)) continue;
    best = {*kind, detection.score, pair.iou, detection.category};
  }
  return best;
}

QString shortText(const MissedReason& reason, const NameOfClass& nameOf) {
  switch (reason.kind) {
    case Kind::Taken:
      return MissedReasonText::tr("taken");
    case Kind::LowScore:
      return MissedReasonText::tr("score %1").arg(hundredths(reason.score));
    case Kind::OtherClass:
      return MissedReasonText::tr("as %1").arg(nameOf(reason.category));
    case Kind::LowIou:
      return MissedReasonText::tr("IoU %1").arg(hundredths(reason.iou));
    case Kind::OtherNear:
      return MissedReasonText::tr("near: %1").arg(nameOf(reason.category));
    case Kind::NoneNear:
      break;
  }
  return {};
}

QString sentence(const MissedReason& reason, const NameOfClass& nameOf) {
  const QString score = hundredths(reason.score), iou = hundredths(reason.iou);
  switch (reason.kind) {
    case Kind::Taken:
      return MissedReasonText::tr(
                 "Its prediction (score %1, IoU %2) is matched with another object")
          .arg(score, iou);
    case Kind::LowScore:
      return MissedReasonText::tr("Predicted, but with a score of %1, below the threshold (IoU %2)")
          .arg(score, iou);
    case Kind::OtherClass:
      return MissedReasonText::tr("Predicted as %1 (score %2, IoU %3)")
          .arg(nameOf(reason.category), score, iou);
    case Kind::LowIou:
      return MissedReasonText::tr(
                 "The IoU of its best prediction is %1, below the threshold (score %2)")
          .arg(iou, score);
    case Kind::OtherNear:
      return MissedReasonText::tr(
                 "No prediction of its class is near; the one of %1 overlaps it most "
                 "(score %2, IoU %3)")
          .arg(nameOf(reason.category), score, iou);
    case Kind::NoneNear:
      break;
  }
  return MissedReasonText::tr("No prediction of its class is near");
}

}  // namespace lockstep::widgets
