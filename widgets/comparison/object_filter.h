#pragma once

#include <initializer_list>
#include <optional>

#include "engine/coco/evaluation/params.h"
#include "widgets/instances/paired_objects.h"

namespace lockstep::widgets {

/// Several values of Finders.
class FinderSet {
 public:
  constexpr FinderSet(std::initializer_list<Finders> finders) {
    for (const Finders one : finders) bits_ |= bitOf(one);
  }
  static constexpr FinderSet one(Finders finders) { return {finders}; }
  constexpr bool contains(Finders finders) const { return (bits_ & bitOf(finders)) != 0; }
  constexpr int value() const { return bits_; }
  bool operator==(const FinderSet&) const = default;

 private:
  static constexpr int bitOf(Finders finders) { return 1 << static_cast<int>(finders); }
  int bits_ = 0;
};

/// Which objects are listed.
struct ObjectFilter {
  std::optional<CategoryId> category{};  ///< std::nullopt: all classes
  coco::ObjectSize size = coco::ObjectSize::All;
  double leastScore = 0;  ///< that A or B gives it; 0: also what neither detects

  bool operator==(const ObjectFilter&) const = default;
  bool leavesAll() const { return *this == ObjectFilter(); }
  bool passes(const PairedObject& object) const;
};

}  // namespace lockstep::widgets
