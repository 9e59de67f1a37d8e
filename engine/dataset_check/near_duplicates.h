#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/image_size.h"
#include "engine/dataset_check/byte_store.h"
#include "engine/dataset_check/picture.h"

namespace lockstep::dataset_check {

/// 63 signs of the lowest frequencies: copies in another size or quality differ
/// in a few. Source: pHash (Zauner 2010), with the mean of 2 x 2 px for its blur.
std::uint64_t perceptualHash(const Thumbnail& thumbnail);

/// How much two pictures differ.
struct PictureDifference {
  double mean = 0;     ///< of the thumbnails' pixels, of 255
  double largest = 0;  ///< of one of them

  /// Else they are not of one picture. The mean alone would unite frames of a video in which an
  /// object moves.
  bool mayBeOfOnePicture() const { return mean <= kMostMean && largest <= kMostOfAPixel; }
  static constexpr double kMostMean = 2, kMostOfAPixel = 20;
};
PictureDifference differenceOf(std::span<const std::uint8_t> first,
                               std::span<const std::uint8_t> second);

/// Whether blocks are of one picture, by which small objects in other places are noticed too.
/// Measured: JPEG at quality 30 changes a block of photographs by 7 at most (written twice by 11),
/// 12 objects of 10 x 8 px that are 20 brighter than what is behind them change one by 15 at least.
bool haveSameBlocks(std::span<const std::uint8_t> first, std::span<const std::uint8_t> second);
inline constexpr int kMostOfABlock = 12;  ///< of 255

/// Which pixels of a file are compared.
enum class PictureView : std::uint8_t {
  Only,       ///< those that training sees are those stored
  Displayed,  ///< of an image that is turned, as training sees it
  Stored      ///< the same image after cleaning
};

/// The earlier pictures that are like a picture. Those that are the same as an earlier one do not
/// count.
struct PictureMatch {
  std::optional<std::size_t> same{};     ///< the first
  std::optional<std::size_t> similar{};  ///< if there is none: the nearest that the hash proposes
  double similarMean = 0;                ///< PictureDifference::mean of that
};

/// Finds duplicate images. Perceptual hashes propose pairs, thumbnails leave few of them, and the
/// pixels of these decide. Of the pictures that share a part of the hash the latest kMostOfBucket
/// are proposed, and those with an equal thumbnail; of these the nearest are compared. Removing all
/// pictures that are the same as an earlier one leaves no duplicates.
class NearDuplicates {
 public:
  /// The blocks of a picture that has `size`, scaled to `scaled`; empty if it cannot be read.
  using ReadBlocks = std::function<std::vector<std::uint8_t>(
      std::size_t index, base::ImageSize size, base::ImageSize scaled)>;
  /// Calls work(0) … work(count - 1) on all cores.
  using ForEach = std::function<void(const std::string& what, std::size_t count,
                                     const std::function<void(std::size_t)>& work)>;
  static constexpr std::size_t kMostBytesInMemory = 192 << 20;

  explicit NearDuplicates(std::size_t count, std::size_t mostBytesInMemory = kMostBytesInMemory);

  /// Thread-safe for different indices. Pictures that are not set are left out. `size`: of the
  /// picture.
  void set(std::size_t index, PictureView view, const Thumbnail& thumbnail, base::ImageSize size);
  /// To be called once, when all are set. Reads the blocks of a picture only if its thumbnail
  /// cannot decide, and once for each size that it is compared in.
  std::vector<PictureMatch> find(const ForEach& forEach, const ReadBlocks& readBlocks);

 private:
  /// A view of a picture; two for each picture.
  struct Entry {
    bool isSet = false;
    PictureView view = PictureView::Only;
    base::ImageSize size{};
    std::uint64_t hash = 0, content = 0;
    ByteStore::Kept thumbnail{};
  };
  using EntryNumber = std::uint32_t;

  /// Entries by their hash and by their thumbnail, rising.
  struct Index {
    std::vector<std::vector<EntryNumber>> ofBand;  ///< by band and value
    std::unordered_map<std::uint64_t, std::vector<EntryNumber>> ofContent;
  };
  /// An entry that one is compared with.
  struct Near {
    EntryNumber number = 0;
    PictureDifference difference{};
  };
  /// Entry, height, width.
  using ScaledEntry = std::array<std::int64_t, 3>;

  bool areComparable(EntryNumber first, EntryNumber second) const;
  void add(EntryNumber number, Index& index) const;
  std::vector<EntryNumber> candidatesOf(EntryNumber number, const Index& index) const;
  std::vector<Near> nearOf(EntryNumber number, const Index& index) const;
  std::pair<ScaledEntry, ScaledEntry> scaledPair(EntryNumber first, EntryNumber second) const;
  void readBlocksOfNear(const ForEach& forEach, const ReadBlocks& readBlocks);
  bool areSame(EntryNumber first, EntryNumber second, const ReadBlocks& readBlocks);
  std::vector<std::uint8_t> readScaled(const ScaledEntry& scaled,
                                       const ReadBlocks& readBlocks) const;
  PictureMatch matchOf(std::size_t index, const Index& kept, const ReadBlocks& readBlocks);

  std::vector<Entry> entries_;
  ByteStore thumbnails_, blockStore_;
  std::map<ScaledEntry, ByteStore::Kept> blocks_;
};

}  // namespace lockstep::dataset_check
