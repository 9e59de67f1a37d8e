#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace lockstep::coco {

class Dataset;

/// COCO's last maxDets, Params::mostDetections() unless it is set.
inline constexpr std::size_t kCocoMaxDetections = 100;

/// The setting of Params::maxDetections, in experiments.
inline constexpr const char* kMaxDetectionsKey = "evaluation.max_dets";

/// The limit of an evaluation as a sentence without its full stop, to be shown with AP. setting:
/// what changes it.
std::string apLimitText(std::size_t limit = kCocoMaxDetections,
                        std::string_view setting = kMaxDetectionsKey);

/// What AP does not take into account: objects and detections of one class and image over the
/// limit.
struct PastLimit {
  std::size_t imagesOfObjects = 0;  ///< images with more objects of a class than the limit
  std::size_t objects = 0;          ///< objects over the limit, which cannot be matched
  std::size_t imagesOfDetections = 0;
  std::size_t detections = 0;  ///< detections over the limit, which are ignored
  std::size_t limit = kCocoMaxDetections;

  bool operator==(const PastLimit&) const = default;
  bool isEmpty() const { return objects == 0 && detections == 0; }
  /// One sentence without its full stop; "" if nothing is over the limit. setting: as apLimitText.
  std::string text(std::string_view setting = kMaxDetectionsKey) const;
};

/// Its JSON members.
inline constexpr std::array<std::pair<const char*, std::size_t PastLimit::*>, 5> kPastLimitMembers{
    {{"images_of_objects", &PastLimit::imagesOfObjects},
     {"objects", &PastLimit::objects},
     {"images_of_detections", &PastLimit::imagesOfDetections},
     {"detections", &PastLimit::detections},
     {"limit", &PastLimit::limit}}};

/// For the objects (without crowds) of the first `images` images; 0: all images.
PastLimit objectsPastLimit(const Dataset& groundTruth, std::size_t limit = kCocoMaxDetections,
                           std::size_t images = 0);

/// Of the first `images` images (0: all) those with more objects (without crowds) than a model
/// detects in one: `100 is below the objects of 2 images, which are never all detected: a.png has
/// 130`; "" if there are none.
std::string detectionLimitText(const Dataset& groundTruth, std::size_t detectionsPerImage,
                               std::size_t images = 0);

}  // namespace lockstep::coco
