#include "engine/coco/check/picture_pairs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace lockstep::coco {
namespace {

constexpr int kGreySide = 32;      ///< of the image that is transformed
constexpr int kFrequencies = 8;    ///< of each axis
constexpr int kMostBits = 6;       ///< that differ between copies
constexpr std::size_t kBands = 8;  ///< more than kMostBits: near hashes share one
constexpr std::size_t kBandValues = 256;
constexpr std::size_t kMostOfBucket = 1024;  ///< pictures that are looked at in a bucket
constexpr std::size_t kMostCompared = 64;    ///< pictures that one is compared with
constexpr std::size_t kMostKept = 49'152;    ///< thumbnails in memory: 192 MiB

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

PictureDifference differenceOf(const Thumbnail& first, const Thumbnail& second) {
  int sum = 0, largest = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const int one = std::abs(static_cast<int>(first[i]) - static_cast<int>(second[i]));
    sum += one;
    largest = std::max(largest, one);
  }
  return {static_cast<double>(sum) / static_cast<double>(first.size()),
          static_cast<double>(largest)};
}

PicturePairs::PicturePairs(std::size_t count, ReadThumbnail thumbnailAt)
    : entries_(count), thumbnailAt_(std::move(thumbnailAt)) {}

void PicturePairs::set(std::size_t index, Part part, std::unique_ptr<Thumbnail> thumbnail) {
  Entry& entry = entries_[index];
  entry.isSet = true;
  entry.part = part;
  entry.hash = perceptualHash(*thumbnail);
  entry.content = std::hash<std::string_view>()(
      {reinterpret_cast<const char*>(thumbnail->data()), thumbnail->size()});
  if (index < kMostKept) entry.thumbnail = std::move(thumbnail);
}

void PicturePairs::index() {
  buckets_.resize(kBands * kBandValues);
  equalOf_.resize(entries_.size());
  std::unordered_map<std::uint64_t, std::uint32_t> byContent;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i].isSet) continue;
    const auto number = static_cast<std::uint32_t>(i);
    for (std::size_t band = 0; band < kBands; ++band)
      buckets_[band * kBandValues + bandOf(entries_[i].hash, band)].push_back(number);
    const auto [group, isNew] =
        byContent.try_emplace(entries_[i].content, static_cast<std::uint32_t>(equal_.size()));
    if (isNew) equal_.emplace_back();
    equal_[group->second].push_back(number);
    equalOf_[i] = group->second;
  }
}

std::vector<std::size_t> PicturePairs::candidatesOf(std::size_t index) const {
  const std::uint64_t hash = entries_[index].hash;
  std::vector<std::pair<int, std::size_t>> near;  // bits that differ, picture
  for (std::size_t band = 0; band < kBands; ++band) {
    const auto& bucket = buckets_[band * kBandValues + bandOf(hash, band)];
    const auto end = std::ranges::lower_bound(bucket, static_cast<std::uint32_t>(index));
    const auto begin =
        end - std::min<std::ptrdiff_t>(end - bucket.begin(), std::ptrdiff_t{kMostOfBucket});
    for (auto other = begin; other != end; ++other) {
      const int bits = std::popcount(hash ^ entries_[*other].hash);
      if (bits <= kMostBits) near.emplace_back(bits, *other);
    }
  }
  std::ranges::sort(near);
  near.erase(std::unique(near.begin(), near.end()), near.end());
  if (near.size() > kMostCompared) near.resize(kMostCompared);
  std::vector<std::size_t> candidates;
  for (const auto& [bits, other] : near) candidates.push_back(other);
  // Of equal pictures one of each part is enough.
  std::array<bool, 2> hasEqual{};
  for (const std::uint32_t other : equal_[equalOf_[index]]) {
    bool& isThere = hasEqual[static_cast<std::size_t>(entries_[other].part)];
    if (other >= index || (hasEqual[0] && hasEqual[1])) break;
    if (!std::exchange(isThere, true)) candidates.push_back(other);
  }
  std::ranges::sort(candidates);
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return candidates;
}

std::optional<PictureDifference> PicturePairs::difference(std::size_t first,
                                                          std::size_t second) const {
  std::array<std::unique_ptr<Thumbnail>, 2> read;
  const auto thumbnail = [&](std::size_t index, std::unique_ptr<Thumbnail>& holder) {
    if (!entries_[index].thumbnail) holder = thumbnailAt_(index);
    return holder ? holder.get() : entries_[index].thumbnail.get();
  };
  const Thumbnail *a = thumbnail(first, read[0]), *b = thumbnail(second, read[1]);
  if (a == nullptr || b == nullptr) return std::nullopt;
  return differenceOf(*a, *b);
}

PictureMatches PicturePairs::matchesOf(std::size_t index) const {
  PictureMatches matches;
  if (!entries_[index].isSet) return matches;
  for (const std::size_t other : candidatesOf(index)) {
    const bool isInPart = entries_[other].part == entries_[index].part;
    auto& same = isInPart ? matches.sameInPart : matches.sameInOtherPart;
    if (same) continue;
    const auto found = difference(index, other);
    if (!found) continue;
    if (found->isOfOnePicture()) {
      same = other;
    } else if (!matches.similar || found->mean < matches.similarMean) {
      matches.similar = other;
      matches.similarMean = found->mean;
    }
  }
  if (matches.sameInPart || matches.sameInOtherPart) matches.similar.reset();
  return matches;
}

}  // namespace lockstep::coco
