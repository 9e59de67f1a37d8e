#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/coco/check/finding.h"
#include "engine/coco/check/picture.h"

namespace lockstep::coco {

/// 63 signs of the lowest frequencies: copies in another size or quality differ
/// in a few. Source: pHash (Zauner 2010), with the mean of 2 x 2 px for its blur.
std::uint64_t perceptualHash(const Thumbnail& thumbnail);

/// How much two pictures differ.
struct PictureDifference {
  double mean = 0;     ///< of the thumbnails' pixels, of 255
  double largest = 0;  ///< of one of them

  /// The mean alone would unite frames of a video in which a small object moves.
  bool isOfOnePicture() const { return mean <= kMostMean && largest <= kMostOfAPixel; }
  static constexpr double kMostMean = 2, kMostOfAPixel = 20;
};
PictureDifference differenceOf(const Thumbnail& first, const Thumbnail& second);

/// The earlier pictures that are like a picture.
struct PictureMatches {
  std::optional<std::size_t> sameInPart{}, sameInOtherPart{};  ///< the first that is the same
  std::optional<std::size_t> similar{};  ///< if there is none: the nearest that the hash proposes
  double similarMean = 0;                ///< PictureDifference::mean of that
};

/// Finds pictures that are there twice. Perceptual hashes propose pairs; thumbnails decide. Equal
/// thumbnails are always found; of pictures that share a hash with thousands of others, only the
/// nearest are compared.
class PicturePairs {
 public:
  /// `thumbnailAt`: of a picture whose thumbnail was not kept; null if it cannot be read any more.
  using ReadThumbnail = std::function<std::unique_ptr<Thumbnail>(std::size_t)>;
  PicturePairs(std::size_t count, ReadThumbnail thumbnailAt);

  /// Thread-safe for different indices. Pictures that are not set are left out.
  void set(std::size_t index, Part part, std::unique_ptr<Thumbnail> thumbnail);
  /// To be called once all are set, before matchesOf().
  void index();
  /// Those before this one. Thread-safe.
  PictureMatches matchesOf(std::size_t index) const;

 private:
  struct Entry {
    bool isSet = false;
    Part part = Part::Train;
    std::uint64_t hash = 0, content = 0;
    std::unique_ptr<Thumbnail> thumbnail;  ///< null: read again when it is needed
  };
  std::vector<std::size_t> candidatesOf(std::size_t index) const;
  std::optional<PictureDifference> difference(std::size_t first, std::size_t second) const;

  std::vector<Entry> entries_;
  ReadThumbnail thumbnailAt_;
  std::vector<std::vector<std::uint32_t>> buckets_;  ///< pictures by band and value, rising
  std::vector<std::vector<std::uint32_t>> equal_;    ///< pictures by content, rising
  std::vector<std::uint32_t> equalOf_;               ///< index into equal_
};

}  // namespace lockstep::coco
