#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace lockstep::coco {

class Dataset;

/// COCO's maxDets: only this many detections per class and image count, highest scores first.
inline constexpr std::size_t kMaxDetections = 100;

/// That limit as a sentence without its full stop, to be shown with AP.
std::string apLimitText();

/// What AP does not take into account: objects and detections of one class and image over
/// kMaxDetections.
struct PastLimit {
  std::size_t imagesOfObjects = 0;  ///< images with more objects of a class than the limit
  std::size_t objects = 0;          ///< objects over the limit, which cannot be matched
  std::size_t imagesOfDetections = 0;
  std::size_t detections = 0;  ///< detections over the limit, which are ignored

  bool operator==(const PastLimit&) const = default;
  /// One sentence without its full stop; "" if nothing is over the limit.
  std::string text() const;
};

/// Its JSON members.
inline constexpr std::array<std::pair<const char*, std::size_t PastLimit::*>, 4> kPastLimitMembers{
    {{"images_of_objects", &PastLimit::imagesOfObjects},
     {"objects", &PastLimit::objects},
     {"images_of_detections", &PastLimit::imagesOfDetections},
     {"detections", &PastLimit::detections}}};

/// For the objects (without crowds) of the first `images` images; 0: all images.
PastLimit objectsPastLimit(const Dataset& groundTruth, std::size_t images = 0);

}  // namespace lockstep::coco
