#include "engine/alerts/slow_rank.h"

#include <algorithm>
#include <vector>

#include "engine/base/number_text.h"
#include "engine/events/tags.h"

namespace lockstep::alerts {
namespace {

namespace tags = events::tags;

/// Images differ: a rank is slow when its own work takes this much longer than the others' …
constexpr double kLateFactor = 1.25;
/// … in this many successive records, each the mean over a log interval.
constexpr int kLateRecords = 5;

std::string seconds(double value) { return base::shortNumber(value, 2) + " s"; }

double medianOfOthers(const std::map<int, RankTimes>& ranks, int rank, double RankTimes::*time) {
  std::vector<double> others;
  for (const auto& [other, times] : ranks)
    if (other != rank) others.push_back(times.*time);
  const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
  std::nth_element(others.begin(), middle, others.end());
  return *middle;
}

std::string describe(const SlowestRank& late) {
  std::string text = "All ranks wait for rank " + std::to_string(late.rank) + ": a step takes it " +
                     seconds(late.times.own) + ", the others " + seconds(late.others.own) + ". ";
  if (late.isLateForImages()) {
    return text + "It waits " + seconds(late.times.data) +
           " for images: check its disk, or raise dataset.loader_threads.";
  }
  return text + "Check whether other programs use its GPU or cores, or its GPU is throttled.";
}

}  // namespace

bool SlowestRank::isLate() const { return times.own > kLateFactor * others.own; }

std::optional<SlowestRank> slowestOf(const std::map<int, RankTimes>& ranks) {
  if (ranks.size() < 2) return std::nullopt;
  const auto& [rank, times] =
      *std::max_element(ranks.begin(), ranks.end(),
                        [](const auto& a, const auto& b) { return a.second.own < b.second.own; });
  return SlowestRank{rank,
                     times,
                     {medianOfOthers(ranks, rank, &RankTimes::own),
                      medianOfOthers(ranks, rank, &RankTimes::data)}};
}

void SlowRank::add(std::string_view tag, double value) {
  if (const auto rank = tags::numberIn(tag, tags::kRankOwnSeconds)) times_[*rank].own = value;
  if (const auto rank = tags::numberIn(tag, tags::kRankDataSeconds)) times_[*rank].data = value;
}

std::optional<SlowRank::Finding> SlowRank::endOfRecord() {
  if (times_.empty()) return std::nullopt;
  const auto slowest = slowestOf(times_);
  const auto late = slowest && slowest->isLate() ? std::optional(slowest->rank) : std::nullopt;
  records_ = late && late == late_ ? records_ + 1 : late ? 1 : 0;
  late_ = late;
  times_.clear();
  if (!late || records_ != kLateRecords) return std::nullopt;
  return Finding{describe(*slowest), tags::numbered(tags::kRankOwnSeconds, *late)};
}

void SlowRank::forget() { *this = SlowRank(); }

}  // namespace lockstep::alerts
