#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace lockstep {

/// A strongly typed integer.
template <typename Tag, typename Integer = std::int64_t>
struct StrongId {
  Integer value = 0;
  auto operator<=>(const StrongId&) const = default;
};

/// `id` of an image in a COCO annotation file.
using ImageId = StrongId<struct ImageIdTag>;
/// `id` of a category in a COCO annotation file. Not a ClassIndex.
using CategoryId = StrongId<struct CategoryIdTag>;
/// Row of a class in the model's heads: 0 is background, k the k-th category by id.
using ClassIndex = StrongId<struct ClassIndexTag, std::int32_t>;

}  // namespace lockstep

template <typename Tag, typename Integer>
struct std::hash<lockstep::StrongId<Tag, Integer>> {
  std::size_t operator()(const lockstep::StrongId<Tag, Integer>& id) const noexcept {
    return std::hash<Integer>()(id.value);
  }
};
