#include "engine/coco/files/fingerprint.h"

#include <bit>
#include <cstdio>

#include "engine/base/counter_hash.h"

namespace lockstep::coco {
namespace {

/// The hash of one entry, updated one word at a time.
class EntryHash {
 public:
  EntryHash& add(std::uint64_t word) {
    hash_ = base::mixBits(hash_ ^ word);
    return *this;
  }
  EntryHash& add(std::int64_t number) { return add(static_cast<std::uint64_t>(number)); }
  EntryHash& add(double number) {
    return add(std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number));  // -0 is 0
  }
  EntryHash& add(const std::string& text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (const char letter : text)
      add(static_cast<std::uint64_t>(static_cast<unsigned char>(letter)));
    return *this;
  }
  EntryHash& add(const Segmentation& segmentation) {
    if (const Rle* runs = std::get_if<Rle>(&segmentation)) {
      add(std::int64_t{runs->height}).add(std::int64_t{runs->width});
      for (const std::uint32_t count : runs->counts) add(std::uint64_t{count});
      return *this;
    }
    for (const auto& polygon : std::get<0>(segmentation)) {
      add(static_cast<std::uint64_t>(polygon.size()));
      for (const double number : polygon) add(number);
    }
    return *this;
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

/// An order-independent hash of entries.
class SetHash {
 public:
  void add(const EntryHash& entry) { sum_ += entry.value(); }
  std::string text() const {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(sum_));
    return digits;
  }

 private:
  std::uint64_t sum_ = 0;
};

EntryHash hashOf(const Annotation& annotation, bool withArea) {
  EntryHash hash;
  hash.add(annotation.imageId.value).add(std::int64_t{annotation.categoryId.value});
  for (const double side : annotation.boxXywh) hash.add(side);
  if (withArea) hash.add(annotation.area);
  return hash.add(std::int64_t{annotation.isCrowd}).add(annotation.segmentation);
}

}  // namespace

Fingerprint fingerprintOf(const Dataset& dataset, bool withAreas) {
  SetHash images, categories, annotations;
  for (std::size_t i = 0; i < dataset.images().size(); ++i) {
    const Image& image = dataset.images()[i];
    images.add(EntryHash()
                   .add(image.id.value)
                   .add(image.fileName)
                   .add(std::int64_t{image.width})
                   .add(std::int64_t{image.height}));
    for (const Annotation& annotation : dataset.annotationsOf(i))
      annotations.add(hashOf(annotation, withAreas));
  }
  for (const Category& category : dataset.categories())
    categories.add(EntryHash().add(std::int64_t{category.id.value}).add(category.name));
  return {static_cast<std::int64_t>(dataset.images().size()),
          static_cast<std::int64_t>(dataset.categories().size()),
          static_cast<std::int64_t>(dataset.annotationCount()),
          images.text(),
          categories.text(),
          annotations.text()};
}

std::vector<std::string> differences(const Fingerprint& before, const Fingerprint& now) {
  std::vector<std::string> list;
  const auto compare = [&](const char* what, std::int64_t countBefore, std::int64_t countNow,
                           bool sameHash) {
    if (countBefore != countNow) {
      list.push_back(std::to_string(countNow) + " instead of " + std::to_string(countBefore) + " " +
                     what);
    } else if (!sameHash) {
      list.push_back(std::string("different ") + what + ", same number");
    }
  };
  compare("images", before.images, now.images, before.imagesHash == now.imagesHash);
  compare("categories", before.categories, now.categories,
          before.categoriesHash == now.categoriesHash);
  compare("annotations", before.annotations, now.annotations,
          before.annotationsHash == now.annotationsHash);
  return list;
}

}  // namespace lockstep::coco
