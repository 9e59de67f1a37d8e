#include "engine/events/tag_table.h"

namespace lockstep::events {

std::size_t TagTable::indexOf(std::string_view tag) {
  if (names_.empty()) return last_ = find(tag);
  std::size_t& guess = following_[last_];
  if (names_[guess] == tag) return last_ = guess;
  const std::size_t before = last_;
  last_ = find(tag);
  following_[before] = last_;
  return last_;
}

std::size_t TagTable::find(std::string_view tag) {
  if (const auto known = indices_.find(tag); known != indices_.end()) return known->second;
  const std::size_t index = names_.size();
  names_.emplace_back(tag);
  following_.push_back(0);
  indices_.emplace(tag, index);
  return index;
}

}  // namespace lockstep::events
