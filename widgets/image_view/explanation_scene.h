#pragma once

#include <QColor>
#include <QImage>
#include <QPainterPath>
#include <QRectF>
#include <memory>
#include <optional>
#include <vector>

#include "engine/explanation/explanation.h"
#include "widgets/instances/instance_match.h"

namespace lockstep::widgets {

struct Theme;

/// The steps from an image to its masks, in their order.
enum class ExplainStep { Anchors, Scores, Proposals, Boxes, Mask, PastedMask };
inline constexpr int kExplainSteps = 6;

/// From which a proposal or a detection is of an object.
inline constexpr double kFoundIou = 0.5;

/// The object of which the steps are told: a detection, or one that was missed.
struct ExplainedObject {
  /// Indices in the explanation; -1: none. A missed object has the detection of its MissedReason.
  int detection = -1, truth = -1;
  bool operator==(const ExplainedObject&) const = default;
};

/// The object that an instance of the image is in its explanation; neither: it is not in there, as
/// when the predictions shown are of other weights.
ExplainedObject objectOf(const InstanceFacts& instance,
                         const explanation::Explanation& explanation);

/// What of an explanation is drawn.
struct ExplanationChoice {
  std::optional<ExplainStep> step{};        ///< nullopt: only the layers
  bool anchors = false, proposals = false;  ///< layers, whatever the step is
  std::optional<int> level{};               ///< of the pyramid; nullopt: all
  ExplainedObject object{};                 ///< stands out; neither: none
  double scoreThreshold = 0.5;              ///< of detections
};

/// What is drawn of an explanation, in image px.
struct ExplanationScene {
  enum class Kind { Truth, MatchedAnchor, Anchor, Proposal, Detection };
  struct Box {
    QRectF place;
    Kind kind = Kind::Anchor;
    double strength = 1;  ///< 0 … 1: opacity
    bool standsOut = false;
  };
  struct Picture {
    QImage pixels;
    QRectF place;
  };
  QSize imageSize;
  bool replacesInstances = false;      ///< a step is drawn instead of masks, boxes and labels
  bool hasHeat = false;                ///< pictures are probabilities
  std::vector<Picture> pictures;       ///< below the boxes
  std::vector<QPainterPath> outlines;  ///< of masks
  std::vector<Box> boxes;              ///< those that stand out last
};

/// Of probabilities; of an image, so that it does not follow the theme.
QColor heatColour();

/// `theme`: one of the two constant ones. Any thread.
ExplanationScene explanationScene(const explanation::Explanation& explanation,
                                  const ExplanationChoice& choice, const Theme& theme);

/// Intersection over union, 0 if both are empty.
double iouOf(const explanation::BoxXywh& first, const explanation::BoxXywh& second);

/// Of the proposals, the place of the one that overlaps the box most; -1: none does.
int bestProposalFor(const explanation::BoxXywh& box, const explanation::Explanation& explanation);

}  // namespace lockstep::widgets
