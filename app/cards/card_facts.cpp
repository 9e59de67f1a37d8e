#include "app/cards/card_facts.h"

#include <QCoreApplication>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "engine/alerts/slow_rank.h"
#include "engine/events/tags.h"
#include "widgets/curves/number_text.h"

namespace lockstep::app {
namespace {

namespace tags = events::tags;

struct CardFactText {
  Q_DECLARE_TR_FUNCTIONS(MonitorPage)
};

/// By the newest smoothed values. Ranks without a value in the newest record are left out: a
/// resumed run may have fewer ranks.
std::optional<alerts::SlowestRank> slowestRank(const MetricStore& metrics) {
  std::map<int, alerts::RankTimes> ranks;
  std::optional<std::int64_t> newest;
  for (int rank = 0; rank < recordedRankCount(metrics); ++rank) {
    const MetricSeries* own = metrics.series(tags::numbered(tags::kRankOwnSeconds, rank));
    const MetricSeries* data = metrics.series(tags::numbered(tags::kRankDataSeconds, rank));
    if (!data || own->size() == 0 || data->size() == 0) continue;
    const std::int64_t step = own->step(own->size() - 1);
    if (step != newest.value_or(step)) continue;
    newest = step;
    ranks[rank] = {own->smoothed(own->size() - 1), data->smoothed(data->size() - 1)};
  }
  return alerts::slowestOf(ranks);
}

CardFact ownTimeFact(const alerts::SlowestRank& slowest) {
  if (!(slowest.others.own > 0)) return {};
  const QString text = slowest.isLate() ? CardFactText::tr("rank %1 is slow: +%2 %")
                                        : CardFactText::tr("slowest: rank %1, +%2 %");
  return {text.arg(slowest.rank).arg(std::lround(100 * slowest.laterBy() / slowest.others.own)),
          slowest.isLate()};
}

CardFact imagesFact(const alerts::SlowestRank& slowest) {
  if (!slowest.isLate()) return {};
  if (slowest.isLateForImages())
    return {CardFactText::tr("cause of slow rank %1").arg(slowest.rank), true};
  return {CardFactText::tr("not the cause of slow rank %1").arg(slowest.rank)};
}

CardFact rankFact(const CardPlan& plan, const MetricStore& metrics) {
  CardFact fact;
  if (const auto slowest = slowestRank(metrics))
    fact = plan.curves.front().tag == tags::kRankOwnSeconds ? ownTimeFact(*slowest)
                                                            : imagesFact(*slowest);
  if (const int ranks = recordedRankCount(metrics); ranks > kMaxRankCurves)
    fact.text = CardFactText::tr("%1 of %n rank(s)", "", ranks).arg(kMaxRankCurves) %
                (fact.text.isEmpty() ? QString() : QStringLiteral(" · ") % fact.text);
  return fact;
}

/// NVIDIA's driver supports at most this many (NV_MAX_DEVICES in its nvlimits.h).
constexpr int kMaxGpus = 32;

QString newestValue(const MetricStore& metrics, const std::string& tag) {
  const auto now = metrics.lastValue(tag);
  return now && std::isfinite(*now) ? widgets::valueText(*now) : QString();
}

/// The newest value of the only GPU or, without GPUs, of the CPU; empty with several GPUs.
CardFact deviceFact(const CardPlan& plan, const MetricStore& metrics) {
  const std::vector<int> gpus = recordedGpus(metrics);
  if (gpus.size() > 1) return {};
  const std::string& tag = (gpus.empty() ? plan.curves.back() : plan.curves.front()).tag;
  return {newestValue(metrics, gpus.empty() ? tag : tags::numbered(tag, gpus.front()))};
}

CardFact dataShare(const MetricStore& metrics) {
  const auto whole = metrics.lastValue(tags::kStepSeconds);
  const auto waiting = metrics.lastValue(tags::kDataSeconds);
  if (!whole || !waiting || !(*whole > 0 && *waiting >= 0)) return {};
  return {CardFactText::tr("data %1 %").arg(std::lround(100 * *waiting / *whole))};
}

}  // namespace

CardFact cardFact(const CardPlan& plan, const MetricStore& metrics, bool isOnlyRun) {
  if (!isOnlyRun) return {};
  if (plan.perRank) return rankFact(plan, metrics);
  if (plan.perGpu) return deviceFact(plan, metrics);
  if (hasShare(plan)) return dataShare(metrics);
  if (plan.curves.size() > 1) return {};
  return {newestValue(metrics, plan.curves.front().tag)};
}

bool isApCard(const CardPlan& plan) {
  const std::string& tag = plan.curves.front().tag;
  return tag == tags::kMaskAp || tag == tags::kBoxAp;
}

bool hasShare(const CardPlan& plan) { return plan.curves.front().tag == tags::kStepSeconds; }

std::vector<int> recordedGpus(const MetricStore& metrics) {
  std::vector<int> gpus;
  for (int gpu = 0; gpu < kMaxGpus; ++gpu)
    if (metrics.series(tags::numbered(tags::kGpuUtilisation, gpu)) ||
        metrics.series(tags::numbered(tags::kGpuMemoryGib, gpu)))
      gpus.push_back(gpu);
  return gpus;
}

int recordedRankCount(const MetricStore& metrics) {
  int ranks = 0;
  while (metrics.series(tags::numbered(tags::kRankOwnSeconds, ranks))) ++ranks;
  return ranks;
}

std::optional<int> slowRank(const MetricStore& metrics) {
  const auto slowest = slowestRank(metrics);
  return slowest && slowest->isLate() ? std::optional(slowest->rank) : std::nullopt;
}

}  // namespace lockstep::app
