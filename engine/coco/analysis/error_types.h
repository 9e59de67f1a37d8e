#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/coco/analysis/overlap_set.h"
#include "engine/coco/evaluation/instance_matches.h"

/// What kind of mistakes a detector makes and what each costs: TIDE (Bolya et al., "TIDE: A General
/// Toolbox for Identifying Object Detection Errors", ECCV 2020; tidecv 1.0.1). Crowds are no
/// objects, and what pycocotools ignores is no error.
namespace lockstep::coco {

enum class ErrorType : std::uint8_t {
  Classification,  ///< reaches the foreground threshold with an object of another class
  Localisation,    ///< right class, between the background and the foreground threshold
  Both,            ///< none of the others: between the thresholds with an object of another class
  Duplicate,       ///< reaches the foreground threshold with an object of its class that is taken
  Background,      ///< above the background threshold with no object
  Missed,          ///< an object not found, which mending a classification or localisation error
                   ///< would not find either
};
inline constexpr std::size_t kErrorTypeCount = 6;
inline constexpr std::array<const char*, kErrorTypeCount> kErrorTypeNames{
    "classification", "localisation", "both", "duplicate", "background", "missed"};

/// An overlap below this is none.
inline constexpr double kBackgroundIou = .1;

/// A false positive. Localisation is asked first, then classification, duplicate, background.
struct DetectionError {
  std::uint32_t detection = 0;  ///< in ImageOverlaps
  ErrorType type = ErrorType::Background;
  /// The object it stands for if it were mended: its best one for a localisation or classification
  /// error, where no detection found that; -1: none.
  std::int32_t annotation = -1;
  /// Of all errors of both kinds that stand for the same object the one with the best score: mended
  /// it is right, while the others only go away.
  bool becomesRight = false;
};

struct ImageErrors {
  std::vector<DetectionError> detections;  ///< every false positive, by falling score
  std::vector<std::uint32_t> missed;       ///< annotations of ErrorType::Missed
};

/// `matches` are of this image at iouThreshold, of every score and size. An IoU equal to the
/// foreground threshold is a duplicate here, for it does match; tidecv counts it as localisation.
ImageErrors findErrors(const ImageOverlaps& image, const InstanceMatches& matches,
                       double iouThreshold, double backgroundIou);

struct ErrorCost {
  std::uint64_t count = 0;
  double apCost = 0;  ///< how much AP rises where these errors alone are mended; >= 0
};

/// AP is COCO's of 101 recalls at the one IoU threshold, the mean over the classes that have
/// objects.
struct ErrorCosts {
  double ap = -1;                                ///< -1: no objects; then nothing has a cost
  std::array<ErrorCost, kErrorTypeCount> types;  ///< by ErrorType
  /// All false positives gone; all missed objects found. As in tidecv a missed object that is
  /// mended is taken off the ground truth. A class of which nothing is left then has no part in the
  /// mean (in tidecv it counts as 0 where it has detections); of no class at all: AP is 1.
  ErrorCost falsePositives, falseNegatives;
};

ErrorCosts errorCosts(const OverlapSet& set, double iouThreshold = .5,
                      double backgroundIou = kBackgroundIou, int threads = 0);

}  // namespace lockstep::coco
