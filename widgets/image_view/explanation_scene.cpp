#include "widgets/image_view/explanation_scene.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "widgets/image_view/box_rect.h"
#include "widgets/image_view/mask_overlay.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

using explanation::BoxXywh;
using explanation::Explanation;
using Kind = ExplanationScene::Kind;

constexpr double kSameIou = 0.9;     ///< of boxes from which they are of one object
constexpr double kSameScore = 0.01;  ///< up to which two predictions are the same one
constexpr double kHighScore = 0.5;   ///< of anchors that are drawn although they match nothing
constexpr double kFaintest = 0.15, kUnmatchedStrength = 0.6;
constexpr int kMostAlpha = 215, kMaskAlpha = 120;
constexpr double kMaskFrom = 0.5;
/// Pixels that are no part of the mask are weaker, so that its edge is seen.
constexpr double kOutsideShare = 0.45;

/// Probabilities as opacity of one colour.
QImage heatPicture(QSize size, const std::string& bytes, QColor colour, bool isMask) {
  QImage picture(size, QImage::Format_ARGB32);
  for (int y = 0; y < size.height(); ++y) {
    for (int x = 0; x < size.width(); ++x) {
      const auto byte = static_cast<unsigned char>(
          bytes[static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width()) +
                static_cast<std::size_t>(x)]);
      const double value = byte / 255.0;
      colour.setAlphaF(static_cast<float>(value * kMostAlpha / 255.0 *
                                          (isMask && value <= kMaskFrom ? kOutsideShare : 1.0)));
      picture.setPixelColor(x, y, colour);
    }
  }
  return picture;
}

/// Puts together what is drawn.
class Builder {
 public:
  Builder(const Explanation& of, const ExplanationChoice& choice, const Theme& theme)
      : of_(of), choice_(choice), theme_(theme) {}

  ExplanationScene build() {
    scene_.imageSize = {of_.width, of_.height};
    scene_.replacesInstances = choice_.step.has_value();
    if (choice_.proposals || choice_.step == ExplainStep::Proposals) addProposals();
    if (choice_.anchors) addAnchors(/*withUnmatched=*/true);
    if (choice_.step == ExplainStep::Anchors) addMatches();
    if (choice_.step == ExplainStep::Scores) addScores();
    if (choice_.step >= ExplainStep::Boxes) addDetections();
    if (chosen() != nullptr) addChosenOrigins();
    std::ranges::stable_partition(scene_.boxes, [](const auto& box) { return !box.standsOut; });
    return std::move(scene_);
  }

 private:
  bool isShown(int level) const { return !choice_.level || *choice_.level == level; }
  const explanation::Detection* chosen() const {
    const int at = choice_.object.detection;
    return at < 0 ? nullptr : &of_.detections[static_cast<std::size_t>(at)];
  }
  void add(const BoxXywh& box, Kind kind, double strength = 1, bool standsOut = false) {
    scene_.boxes.push_back({rectOf(box), kind, strength, standsOut});
  }

  void addProposals() {
    for (const explanation::Proposal& proposal : of_.proposals)
      if (isShown(proposal.level))
        add(proposal.box, Kind::Proposal, std::max(kFaintest, proposal.score));
  }

  void addAnchors(bool withUnmatched) {
    for (const explanation::Anchor& anchor : of_.anchors) {
      if (!isShown(anchor.level)) continue;
      if (anchor.truth >= 0) {
        const bool standsOut = anchor.truth == choice_.object.truth;
        add(anchor.box, Kind::MatchedAnchor, 1, standsOut);
      } else if (withUnmatched && anchor.score >= kHighScore) {
        add(anchor.box, Kind::Anchor, kUnmatchedStrength);
      }
    }
  }

  void addMatches() {
    for (std::size_t i = 0; i < of_.truths.size(); ++i)
      add(of_.truths[i].box, Kind::Truth, 1, static_cast<int>(i) == choice_.object.truth);
    if (!choice_.anchors) addAnchors(/*withUnmatched=*/false);
  }

  void addScores() {
    scene_.hasHeat = true;
    for (std::size_t i = of_.levels.size(); i-- > 0;) {
      const explanation::Level& level = of_.levels[i];
      if (!isShown(static_cast<int>(i)) || level.scores.empty()) continue;
      scene_.pictures.push_back(
          {heatPicture({level.width, level.height}, level.scores, heatColour(), false),
           rectOf(level.place)});
    }
  }

  void addDetections() {
    for (const explanation::Detection& each : of_.detections) {
      const bool isChosen = &each == chosen();
      const bool isBesideChosen = chosen() && choice_.step == ExplainStep::Boxes;
      const bool isShown = each.detection.score >= choice_.scoreThreshold;
      if (isChosen || (isShown && (!chosen() || isBesideChosen))) addDetection(each, isChosen);
    }
  }

  void addDetection(const explanation::Detection& each, bool isChosen) {
    const BoxXywh& box = each.detection.boxXywh;
    if (choice_.step == ExplainStep::Mask && !each.mask.empty()) {
      scene_.hasHeat = true;
      scene_.pictures.push_back(
          {heatPicture({of_.maskSide, of_.maskSide}, each.mask, heatColour(), true), rectOf(box)});
    }
    if (choice_.step == ExplainStep::PastedMask && each.detection.mask.height > 0) addPasted(each);
    if (choice_.step == ExplainStep::Boxes)
      add(of_.proposals[static_cast<std::size_t>(each.proposal)].box, Kind::Proposal,
          isChosen ? 1 : kUnmatchedStrength, isChosen);
    if (choice_.step != ExplainStep::PastedMask) add(box, Kind::Detection, 1, isChosen);
  }

  void addPasted(const explanation::Detection& each) {
    QColor colour = theme_.truePositive;
    colour.setAlpha(kMaskAlpha);
    const std::vector<MaskFill> fill{{&each.detection.mask, colour.rgba()}};
    const QRect area = rectOf(each.detection.boxXywh).toAlignedRect().adjusted(-1, -1, 1, 1) &
                       QRect(0, 0, of_.width, of_.height);
    if (!area.isEmpty())
      scene_.pictures.push_back({paintMasks({of_.width, of_.height}, area, fill), QRectF(area)});
    scene_.outlines.push_back(outlineOf(each.detection.mask));
  }

  /// The anchor and the proposal of the chosen detection, where their step is shown.
  void addChosenOrigins() {
    const explanation::Proposal& proposal =
        of_.proposals[static_cast<std::size_t>(chosen()->proposal)];
    const bool isBeforeBoxes = choice_.step && *choice_.step < ExplainStep::Boxes;
    if (choice_.anchors || isBeforeBoxes) add(proposal.anchor, Kind::Anchor, 1, true);
    if (choice_.proposals || choice_.step == ExplainStep::Proposals)
      add(proposal.box, Kind::Proposal, 1, true);
  }

  const Explanation& of_;
  const ExplanationChoice& choice_;
  const Theme& theme_;
  ExplanationScene scene_;
};

/// The prediction of a missed object's reason; -1: none.
int detectionOf(const MissedReason& missed, const BoxXywh& object, const Explanation& of) {
  int nearest = -1;
  if (missed.kind == MissedReason::Kind::NoneNear) return nearest;
  double least = kSameScore;
  for (std::size_t i = 0; i < of.detections.size(); ++i) {
    const coco::Detection& each = of.detections[i].detection;
    const double difference = std::abs(each.score - missed.score);
    if (each.categoryId != missed.category || difference > least) continue;
    if (iouOf(each.boxXywh, object) == 0) continue;
    nearest = static_cast<int>(i);
    least = difference;
  }
  return nearest;
}

}  // namespace

QColor heatColour() { return darkTheme().warning; }

double iouOf(const BoxXywh& first, const BoxXywh& second) {
  const QRectF both = rectOf(first) & rectOf(second);
  const double shared = both.isEmpty() ? 0 : both.width() * both.height();
  const double all = first[2] * first[3] + second[2] * second[3] - shared;
  return all > 0 ? shared / all : 0;
}

int bestProposalFor(const BoxXywh& box, const Explanation& explanation) {
  int best = -1;
  double most = 0;
  for (std::size_t i = 0; i < explanation.proposals.size(); ++i) {
    const double iou = iouOf(box, explanation.proposals[i].box);
    if (iou > most) best = static_cast<int>(i);
    most = std::max(most, iou);
  }
  return best;
}

ExplainedObject objectOf(const InstanceFacts& instance, const Explanation& explanation) {
  const auto bestIn = [&](const auto& parts, double fromIou, const auto& boxOf,
                          const auto& categoryOf) {
    int best = -1;
    double most = fromIou;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double iou = iouOf(boxOf(parts[i]), instance.boxXywh);
      if (categoryOf(parts[i]) != instance.category || iou < most) continue;
      if (best < 0 || iou > most) best = static_cast<int>(i);
      most = iou;
    }
    return best;
  };
  const bool isMissed = instance.detection < 0;
  ExplainedObject object;
  if (!isMissed) {
    object.detection = bestIn(
        explanation.detections, kSameIou, [](const auto& d) { return d.detection.boxXywh; },
        [](const auto& d) { return d.detection.categoryId; });
  }
  object.truth = bestIn(
      explanation.truths, isMissed ? kSameIou : kFoundIou, [](const auto& t) { return t.box; },
      [](const auto& t) { return t.category; });
  if (instance.missed && object.truth >= 0)
    object.detection = detectionOf(*instance.missed, instance.boxXywh, explanation);
  return object;
}

ExplanationScene explanationScene(const Explanation& explanation, const ExplanationChoice& choice,
                                  const Theme& theme) {
  return Builder(explanation, choice, theme).build();
}

}  // namespace lockstep::widgets
