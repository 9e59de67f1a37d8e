#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/base/counter_hash.h"

namespace lockstep::tests {

/// Random choices as a function of a seed and the variant's number, so that every variant is
/// reproducible on its own.
class Choices {
 public:
  Choices(std::uint64_t seed, std::uint64_t variant)
      : key_(base::counterHash({seed, variant, kPurpose})) {}

  std::uint64_t word() { return base::counterHash({key_, taken_++}); }
  /// 0 … end-1; 0 where there is nothing to choose from.
  std::size_t below(std::size_t end) { return end == 0 ? 0 : word() % end; }
  bool oneIn(std::size_t chances) { return below(chances) == 0; }
  template <typename List>
  const auto& of(const List& list) {
    return list[below(list.size())];
  }

 private:
  static constexpr std::uint64_t kPurpose = 0x66757a7aULL;
  std::uint64_t key_;
  std::uint64_t taken_ = 0;
};

}  // namespace lockstep::tests
