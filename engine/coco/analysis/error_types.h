#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/coco/analysis/overlap_set.h"
#include "engine/coco/evaluation/instance_matches.h"

/// TIDE error types and their AP cost (Bolya et al., "TIDE: A General Toolbox for Identifying
/// Object Detection Errors", ECCV 2020; tidecv 1.0.1). Crowds do not count as objects, and what
/// pycocotools ignores is not an error.
namespace lockstep::coco {

enum class ErrorType : std::uint8_t {
  Classification,  ///< Cls: IoU >= the foreground threshold with an object of another class
  Localisation,    ///< Loc: correct class, IoU between the background and foreground thresholds
  Both,            ///< IoU between the thresholds with an object of another class
  Duplicate,       ///< Dupe: would match an object of its class that is already matched
  Background,      ///< Bkg: IoU below the background threshold with every object
  Missed,          ///< Miss: an unmatched object that no classification or localisation
                   ///< error covers
};
inline constexpr std::size_t kErrorTypeCount = 6;
/// In coco-eval's files and tables.
inline constexpr std::array<const char*, kErrorTypeCount> kErrorTypeNames{
    "classification", "localisation", "both", "duplicate", "background", "missed"};

/// For people, in the window and in reports.
struct ErrorTypeWords {
  const char* name;      ///< "localisation"
  const char* sentence;  ///< what it means
};
inline constexpr std::array<ErrorTypeWords, kErrorTypeCount> kErrorTypeWords{{
    {"classification", "Matches an object of another class"},
    {"localisation", "The class is right, but the IoU with the object is too low"},
    {"class and localisation", "Wrong class, and the IoU with the object is too low"},
    {"duplicate", "A detection with a higher score already matches the object"},
    {"background", "Overlaps no object"},
    {"missed", "An object that no detection matches, not even a wrong one"},
}};

/// The background threshold.
inline constexpr double kBackgroundIou = .1;

/// A false positive. Types are checked in the order localisation, classification, duplicate,
/// background; what remains is both.
struct DetectionError {
  std::uint32_t detection = 0;  ///< in ImageOverlaps
  ErrorType type = ErrorType::Background;
  /// The object it would match if it were fixed: the one of highest IoU for a localisation or
  /// classification error, if that is unmatched; -1: none.
  std::int32_t annotation = -1;
  /// True for the highest-scoring one of the localisation and classification errors with the same
  /// object: fixing it makes it a true positive, while the others are removed.
  bool becomesTruePositive = false;
};

struct ImageErrors {
  std::vector<DetectionError> detections;  ///< every false positive, by falling score
  std::vector<std::uint32_t> missed;       ///< annotations of ErrorType::Missed
};

/// `matches` must be of this image at iouThreshold, with every size; errors are of the scores that
/// it has. A detection with an IoU equal to the foreground threshold is a duplicate here, as it
/// would match; tidecv counts it as localisation.
ImageErrors findErrors(const ImageOverlaps& image, const InstanceMatches& matches,
                       double iouThreshold, double backgroundIou);

struct ErrorCost {
  std::uint64_t count = 0;
  double apCost = 0;  ///< TIDE's dAP: how much AP rises if only these are fixed; >= 0
};

/// AP is COCO's 101-point AP at a single IoU threshold, averaged over the classes that have
/// objects.
struct ErrorCosts {
  double ap = -1;                                ///< -1: no objects; then all costs are 0
  std::array<ErrorCost, kErrorTypeCount> types;  ///< by ErrorType
  /// Costs of all false positives and of all false negatives. As in tidecv, fixing a missed object
  /// removes it from the ground truth. A class without remaining objects is excluded from the mean
  /// (tidecv counts it as 0 if it has detections); if no class remains, AP is 1.
  ErrorCost falsePositives, falseNegatives;
};

ErrorCosts errorCosts(const OverlapSet& set, double iouThreshold = .5,
                      double backgroundIou = kBackgroundIou, int threads = 0);

}  // namespace lockstep::coco
