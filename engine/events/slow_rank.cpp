#include "engine/events/slow_rank.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "engine/base/number_text.h"

namespace lockstep::events {
namespace {

/// Images differ: a rank is late when its own work takes so much longer than the others' …
constexpr double kLateFactor = 1.25;
/// … in so many records, each the mean over a log interval.
constexpr int kLateRecords = 5;

std::string seconds(double value) { return base::shortNumber(value, 2) + " s"; }

}  // namespace

void SlowRank::add(std::string_view tag, double value) {
  tag.remove_prefix(kTagPrefix.size());
  int rank = 0;
  const auto [end, fault] = std::from_chars(tag.data(), tag.data() + tag.size(), rank);
  if (fault != std::errc()) return;
  const std::string_view name(end, static_cast<std::size_t>(tag.data() + tag.size() - end));
  Times& times = times_[rank];
  if (name == "/step_seconds") times.step = value;
  if (name == "/data_seconds") times.data = value;
  if (name == "/wait_seconds") times.wait = value;
}

double SlowRank::usualOfOthers(int rank) const {
  std::vector<double> others;
  for (const auto& [other, times] : times_)
    if (other != rank) others.push_back(times.own());
  const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
  std::nth_element(others.begin(), middle, others.end());
  return *middle;
}

std::optional<int> SlowRank::lateRank() const {
  if (times_.size() < 2) return std::nullopt;
  const auto last = std::max_element(
      times_.begin(), times_.end(),
      [](const auto& a, const auto& b) { return a.second.own() < b.second.own(); });
  const bool isLate = last->second.own() > kLateFactor * usualOfOthers(last->first);
  return isLate ? std::optional(last->first) : std::nullopt;
}

std::string SlowRank::describe(int rank) const {
  const Times& times = times_.at(rank);
  const double usual = usualOfOthers(rank), later = times.own() - usual;
  std::string text = "All ranks wait for rank " + std::to_string(rank) + ": a step takes it " +
                     seconds(times.own()) + ", the others " + seconds(usual) + ". ";
  if (times.data > later / 2) {
    return text + "It waits " + seconds(times.data) +
           " for images: look at its disk, or raise dataset.loader_threads.";
  }
  return text + "Does something else use its GPU or its cores, or is its GPU throttled?";
}

std::optional<std::string> SlowRank::endOfRecord() {
  if (times_.empty()) return std::nullopt;
  const auto late = lateRank();
  records_ = late && late == late_ ? records_ + 1 : late ? 1 : 0;
  late_ = late;
  std::optional<std::string> text;
  if (late && records_ == kLateRecords) text = describe(*late);
  times_.clear();
  return text;
}

void SlowRank::forget() { *this = SlowRank(); }

}  // namespace lockstep::events
