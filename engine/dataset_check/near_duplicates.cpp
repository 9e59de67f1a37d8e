#include "engine/dataset_check/near_duplicates.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string_view>

namespace lockstep::dataset_check {
namespace {

constexpr int kGreySide = 32;      ///< of the image that is transformed
constexpr int kFrequencies = 8;    ///< of each axis
constexpr int kMostBits = 6;       ///< that differ between copies
constexpr std::size_t kBands = 8;  ///< more than kMostBits: near hashes share one
constexpr std::size_t kBandValues = 256;
constexpr std::size_t kMostOfBucket = 1024;  ///< pictures that are looked at in a bucket
constexpr std::size_t kMostEqual = 16;       ///< pictures with an equal thumbnail
constexpr std::size_t kMostCompared = 64;    ///< pictures whose thumbnail is compared
constexpr std::size_t kMostDecided = 16;     ///< pictures whose blocks are compared
constexpr std::size_t kMostBlockBytesInMemory = 32 << 20;

using Grey = std::array<float, kGreySide * kGreySide>;

/// The sum of the values of each 2 x 2 px.
Grey greyOf(const Thumbnail& thumbnail) {
  Grey grey{};
  for (std::size_t i = 0; i < thumbnail.size(); ++i) {
    const std::size_t x = i % kThumbnailSide / 2, y = i / kThumbnailSide / 2;
    grey[y * kGreySide + x] += static_cast<float>(thumbnail[i]);
  }
  return grey;
}

/// cosines[f][x] of the discrete cosine transform (DCT-II).
using Cosines = std::array<std::array<float, kGreySide>, kFrequencies>;
const Cosines& cosines() {
  static const Cosines table = [] {
    Cosines values{};
    for (int f = 0; f < kFrequencies; ++f)
      for (int x = 0; x < kGreySide; ++x)
        values[f][x] = static_cast<float>(std::cos(std::numbers::pi * f * (x + 0.5) / kGreySide));
    return values;
  }();
  return table;
}

std::uint8_t bandOf(std::uint64_t hash, std::size_t band) {
  return static_cast<std::uint8_t>(hash >> (8 * band));
}

/// Calls visit(number) for those of which thumbnails cannot tell that they are other pictures, from
/// the nearest.
template <typename NearEntries, typename Visit>
void forUndecided(const NearEntries& near, Visit visit) {
  std::size_t count = 0;
  for (const auto& one : near)
    if (one.difference.mayBeOfOnePicture() && ++count <= kMostDecided) visit(one.number);
}

}  // namespace

std::uint64_t perceptualHash(const Thumbnail& thumbnail) {
  const Grey grey = greyOf(thumbnail);
  const Cosines& table = cosines();
  std::array<float, kFrequencies * kGreySide> rows{};
  for (int y = 0; y < kGreySide; ++y)
    for (int f = 0; f < kFrequencies; ++f)
      for (int x = 0; x < kGreySide; ++x)
        rows[f * kGreySide + y] += table[f][x] * grey[y * kGreySide + x];
  std::array<float, kFrequencies * kFrequencies> amplitudes{};
  for (int v = 0; v < kFrequencies; ++v)
    for (int u = 0; u < kFrequencies; ++u)
      for (int y = 0; y < kGreySide; ++y)
        amplitudes[v * kFrequencies + u] += table[v][y] * rows[u * kGreySide + y];
  // Without the mean brightness, which is the first.
  std::array<float, kFrequencies * kFrequencies - 1> others{};
  std::copy(amplitudes.begin() + 1, amplitudes.end(), others.begin());
  std::ranges::nth_element(others, others.begin() + others.size() / 2);
  const float middle = others[others.size() / 2];
  std::uint64_t hash = 0;
  for (std::size_t i = 1; i < amplitudes.size(); ++i)
    hash |= std::uint64_t{amplitudes[i] > middle} << i;
  return hash;
}

PictureDifference differenceOf(std::span<const std::uint8_t> first,
                               std::span<const std::uint8_t> second) {
  int sum = 0, largest = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const int one = std::abs(static_cast<int>(first[i]) - static_cast<int>(second[i]));
    sum += one;
    largest = std::max(largest, one);
  }
  return {static_cast<double>(sum) / static_cast<double>(first.size()),
          static_cast<double>(largest)};
}

bool haveSameBlocks(std::span<const std::uint8_t> first, std::span<const std::uint8_t> second) {
  if (first.empty() || first.size() != second.size()) return false;
  return differenceOf(first, second).largest <= kMostOfABlock;
}

NearDuplicates::NearDuplicates(std::size_t count, std::size_t mostBytesInMemory)
    : entries_(2 * count),
      thumbnails_(mostBytesInMemory),
      blockStore_(std::min(mostBytesInMemory, kMostBlockBytesInMemory)) {}

void NearDuplicates::set(std::size_t index, PictureView view, const Thumbnail& thumbnail,
                         base::ImageSize size) {
  Entry& entry = entries_[2 * index + (view == PictureView::Stored ? 1 : 0)];
  entry.isSet = true;
  entry.view = view;
  entry.size = size;
  entry.hash = perceptualHash(thumbnail);
  entry.content = std::hash<std::string_view>()(
      {reinterpret_cast<const char*>(thumbnail.data()), thumbnail.size()});
  entry.thumbnail = thumbnails_.keep(thumbnail);
}

void NearDuplicates::add(EntryNumber number, Index& index) const {
  const Entry& entry = entries_[number];
  if (!entry.isSet) return;
  index.ofBand.resize(kBands * kBandValues);
  for (std::size_t band = 0; band < kBands; ++band)
    index.ofBand[band * kBandValues + bandOf(entry.hash, band)].push_back(number);
  index.ofContent[entry.content].push_back(number);
}

/// Of different pictures, both as they are before cleaning, or after it.
bool NearDuplicates::areComparable(EntryNumber first, EntryNumber second) const {
  const PictureView a = entries_[first].view, b = entries_[second].view;
  return first / 2 != second / 2 && (a == b || a == PictureView::Only || b == PictureView::Only);
}

std::vector<NearDuplicates::EntryNumber> NearDuplicates::candidatesOf(EntryNumber number,
                                                                      const Index& index) const {
  const std::uint64_t hash = entries_[number].hash;
  std::vector<std::pair<int, EntryNumber>> near;  // bits that differ, entry
  for (std::size_t band = 0; band < kBands && !index.ofBand.empty(); ++band) {
    const auto& bucket = index.ofBand[band * kBandValues + bandOf(hash, band)];
    const auto end = std::ranges::lower_bound(bucket, number);
    const auto begin =
        end - std::min<std::ptrdiff_t>(end - bucket.begin(), std::ptrdiff_t{kMostOfBucket});
    for (auto other = begin; other != end; ++other) {
      const int bits = std::popcount(hash ^ entries_[*other].hash);
      if (bits <= kMostBits && areComparable(number, *other)) near.emplace_back(bits, *other);
    }
  }
  // Each is there once for each band that it shares.
  if (near.size() > kBands * kMostCompared) {
    std::ranges::nth_element(near, near.begin() + kBands * kMostCompared);
    near.resize(kBands * kMostCompared);
  }
  std::ranges::sort(near);
  near.erase(std::unique(near.begin(), near.end()), near.end());
  if (near.size() > kMostCompared) near.resize(kMostCompared);
  std::vector<EntryNumber> candidates;
  for (const auto& [bits, other] : near) candidates.push_back(other);
  if (const auto equal = index.ofContent.find(entries_[number].content);
      equal != index.ofContent.end()) {
    for (std::size_t i = 0; i < std::min(equal->second.size(), kMostEqual); ++i) {
      const EntryNumber other = equal->second[i];
      if (other < number && areComparable(number, other)) candidates.push_back(other);
    }
  }
  std::ranges::sort(candidates);
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return candidates;
}

/// From the nearest; of those as near, from the first.
std::vector<NearDuplicates::Near> NearDuplicates::nearOf(EntryNumber number,
                                                         const Index& index) const {
  std::vector<Near> near;
  std::vector<std::uint8_t> ownBuffer, buffer;
  std::span<const std::uint8_t> own;
  for (const EntryNumber other : candidatesOf(number, index)) {
    if (own.empty()) own = thumbnails_.get(entries_[number].thumbnail, ownBuffer);
    near.push_back({other, differenceOf(own, thumbnails_.get(entries_[other].thumbnail, buffer))});
  }
  std::ranges::stable_sort(near, {}, [](const Near& one) { return one.difference.mean; });
  return near;
}

/// Both in the smaller size.
std::pair<NearDuplicates::ScaledEntry, NearDuplicates::ScaledEntry> NearDuplicates::scaledPair(
    EntryNumber first, EntryNumber second) const {
  const base::ImageSize &a = entries_[first].size, &b = entries_[second].size;
  const std::int64_t height = std::min(a.height, b.height), width = std::min(a.width, b.width);
  return {{first, height, width}, {second, height, width}};
}

std::vector<std::uint8_t> NearDuplicates::readScaled(const ScaledEntry& scaled,
                                                     const ReadBlocks& readBlocks) const {
  const auto number = static_cast<std::size_t>(scaled[0]);
  return readBlocks(number / 2, entries_[number].size, {scaled[1], scaled[2]});
}

/// On all cores, those that find() most probably needs.
void NearDuplicates::readBlocksOfNear(const ForEach& forEach, const ReadBlocks& readBlocks) {
  Index all;
  for (EntryNumber number = 0; number < entries_.size(); ++number) add(number, all);
  std::mutex mutex;  // guards the set
  std::set<ScaledEntry> needed;
  forEach("comparing images", entries_.size() / 2, [&](std::size_t i) {
    for (const std::size_t number : {2 * i, 2 * i + 1}) {
      if (!entries_[number].isSet) continue;
      const auto entry = static_cast<EntryNumber>(number);
      forUndecided(nearOf(entry, all), [&](EntryNumber other) {
        const auto [first, second] = scaledPair(entry, other);
        const std::lock_guard lock(mutex);
        needed.insert({first, second});
      });
    }
  });
  if (needed.empty()) return;
  const std::vector<ScaledEntry> wanted(needed.begin(), needed.end());
  std::vector<ByteStore::Kept> read(wanted.size());
  forEach("comparing similar images", wanted.size(),
          [&](std::size_t i) { read[i] = blockStore_.keep(readScaled(wanted[i], readBlocks)); });
  for (std::size_t i = 0; i < wanted.size(); ++i) blocks_.emplace(wanted[i], std::move(read[i]));
}

bool NearDuplicates::areSame(EntryNumber first, EntryNumber second, const ReadBlocks& readBlocks) {
  const auto pair = scaledPair(first, second);
  std::array<std::vector<std::uint8_t>, 2> buffers;
  const auto blocksOf = [&](const ScaledEntry& scaled, std::vector<std::uint8_t>& buffer) {
    auto blocks = blocks_.find(scaled);
    if (blocks == blocks_.end())
      blocks = blocks_.emplace(scaled, blockStore_.keep(readScaled(scaled, readBlocks))).first;
    return blockStore_.get(blocks->second, buffer);
  };
  return haveSameBlocks(blocksOf(pair.first, buffers[0]), blocksOf(pair.second, buffers[1]));
}

PictureMatch NearDuplicates::matchOf(std::size_t index, const Index& kept,
                                     const ReadBlocks& readBlocks) {
  PictureMatch match;
  for (const std::size_t number : {2 * index, 2 * index + 1}) {
    if (!entries_[number].isSet) continue;
    const auto entry = static_cast<EntryNumber>(number);
    const std::vector<Near> near = nearOf(entry, kept);
    forUndecided(near, [&](EntryNumber other) {
      const std::size_t picture = other / 2;
      if ((!match.same || picture < *match.same) && areSame(entry, other, readBlocks))
        match.same = picture;
    });
    if (near.empty() || (match.similar && match.similarMean <= near[0].difference.mean)) continue;
    match.similar = near[0].number / 2;
    match.similarMean = near[0].difference.mean;
  }
  if (match.same) match.similar.reset();
  return match;
}

std::vector<PictureMatch> NearDuplicates::find(const ForEach& forEach,
                                               const ReadBlocks& readBlocks) {
  readBlocksOfNear(forEach, readBlocks);
  // In order: what a picture is compared with is what would be there without the removed ones.
  Index kept;
  std::vector<PictureMatch> matches(entries_.size() / 2);
  for (std::size_t i = 0; i < matches.size(); ++i) {
    matches[i] = matchOf(i, kept, readBlocks);
    if (matches[i].same) continue;
    for (const std::size_t number : {2 * i, 2 * i + 1}) add(static_cast<EntryNumber>(number), kept);
  }
  return matches;
}

}  // namespace lockstep::dataset_check
