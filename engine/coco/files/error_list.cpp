#include "engine/coco/files/error_list.h"

#include "engine/base/error.h"
#include "engine/base/shortened_text.h"

namespace lockstep::coco {
namespace {
constexpr std::size_t kNamedErrors = 3;
}  // namespace

void ErrorList::add(EntryError error) {
  if (isLenient_) return all_.push_back(std::move(error));
  if (++count_ > kNamedErrors) return;
  constexpr std::size_t kMaxBytes = 1000;  // it may quote the file
  first_.push_back(base::shortened(error.where + ": " + error.what, kMaxBytes));
  if (error.byte > 0) first_.back() += " (at byte " + std::to_string(error.byte) + ")";
}

void ErrorList::addTolerated(EntryError error) {
  error.isTolerated = true;
  if (isLenient_) all_.push_back(std::move(error));
}

std::string ErrorList::text() const {
  if (count_ == 0) return {};
  std::string line = name_ + ": ";
  if (count_ > 1) line += std::to_string(count_) + " errors: ";
  for (std::size_t i = 0; i < first_.size(); ++i) line += (i > 0 ? "; " : "") + first_[i];
  if (count_ > first_.size()) line += "; and " + std::to_string(count_ - first_.size()) + " more";
  return line;
}

void ErrorList::throwIfAny() const {
  if (count_ > 0) throw Error(text());
}

}  // namespace lockstep::coco
