#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace lockstep::coco {

class Dataset;

/// Detections of one class of one image that count, best scores first: COCO's convention.
inline constexpr std::size_t kMaxDetections = 100;

/// That convention in words, wherever AP stands: a sentence without its full stop.
std::string apLimitText();

/// What AP cannot see: objects and detections of one class of one image past kMaxDetections.
struct PastLimit {
  std::size_t imagesOfObjects = 0;  ///< images with more objects of a class
  std::size_t objects = 0;          ///< those of them that no detection is left for
  std::size_t imagesOfDetections = 0;
  std::size_t detections = 0;  ///< left out

  bool operator==(const PastLimit&) const = default;
  /// One sentence without its full stop; "" where nothing is past the limit.
  std::string text() const;
};

/// Its members where it is JSON.
inline constexpr std::array<std::pair<const char*, std::size_t PastLimit::*>, 4> kPastLimitMembers{
    {{"images_of_objects", &PastLimit::imagesOfObjects},
     {"objects", &PastLimit::objects},
     {"images_of_detections", &PastLimit::imagesOfDetections},
     {"detections", &PastLimit::detections}}};

/// Of the objects (no crowds) of the first `images` images; of all for 0.
PastLimit objectsPastLimit(const Dataset& groundTruth, std::size_t images = 0);

}  // namespace lockstep::coco
