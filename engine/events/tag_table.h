#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lockstep::events {

/// Numbers tags in order of first occurrence. Records usually repeat their tags in the same order,
/// so the tag that followed last time is tried first.
class TagTable {
 public:
  std::size_t indexOf(std::string_view tag);
  const std::vector<std::string>& names() const { return names_; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::size_t find(std::string_view tag);

  std::vector<std::string> names_;
  std::vector<std::size_t> following_;  ///< per tag: the one that came after it
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> indices_;
  std::size_t last_ = 0;
};

}  // namespace lockstep::events
