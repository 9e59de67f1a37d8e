#include "engine/cli/run_history_facts.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/base/shortened_text.h"
#include "engine/config/evaluation_metrics.h"
#include "engine/config/losses.h"
#include "engine/events/event_record.h"
#include "engine/events/reader.h"
#include "engine/events/tags.h"

namespace lockstep::cli {
namespace {

namespace tags = events::tags;

/// Adds up the time in which a run trained.
class TrainedTime {
 public:
  void add(const events::RecordView& record) {
    const auto state = stateIn(record);
    const bool isStart =
        record.kind == events::Record::Kind::SessionStart || state == protocol::RunState::Starting;
    if (last_ && !isStart && !isPaused_) seconds_ += std::max(record.wallTime - *last_, 0.0);
    last_ = record.wallTime;
    if (state) isPaused_ = *state == protocol::RunState::Paused;
  }
  bool hasBegun() const { return last_.has_value(); }
  double seconds() const { return seconds_; }

 private:
  static std::optional<protocol::RunState> stateIn(const events::RecordView& record) {
    if (record.kind != events::Record::Kind::Event) return std::nullopt;
    events::Record copy{.seq = record.seq,
                        .wallTime = record.wallTime,
                        .step = record.step,
                        .kind = record.kind,
                        .scalars = {},
                        .json = std::string(record.json)};
    try {
      const auto event = events::eventOf(std::move(copy));
      if (!event) return std::nullopt;
      const auto* state = std::get_if<protocol::State>(&*event);
      return state == nullptr ? std::nullopt : state->state.value();
    } catch (const Error&) {
      return std::nullopt;  // an event of a newer version
    }
  }

  std::optional<double> last_;
  bool isPaused_ = false;
  double seconds_ = 0;
};

void keepBest(std::optional<MetricAtStep>& best, double value, std::int64_t step, bool isLoss) {
  if (!std::isfinite(value) || (!isLoss && value < 0)) return;
  if (!best || (isLoss ? value < best->value : value > best->value)) best = {value, step};
}

}  // namespace

MetricTarget parseTarget(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  MetricTarget target;
  bool isValid = equals != std::string::npos && equals > 0;
  if (isValid) {
    target.metric = text.substr(0, equals);
    const char* const first = text.data() + equals + 1;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(first, last, target.value);
    isValid =
        error == std::errc() && end == last && std::isfinite(target.value) && target.value >= 0;
  }
  const bool isReachable = config::isLoss(target.metric) || target.value <= 1;
  if (!isValid || !isReachable || !config::isEvaluationMetric(target.metric)) {
    throw UserError("--target " + base::shortened(text) +
                    ": expected a metric and its value, such as segm/AP=0.377 or loss_total=0.5");
  }
  return target;
}

RunHistoryFacts readHistoryFacts(const run_folder::Layout& run, const MetricTarget* target) {
  RunHistoryFacts facts;
  const std::filesystem::path file = events::findEventFile(run.folder());
  if (file.empty()) return facts;
  const std::string targetTag = target == nullptr ? "" : tags::eval(target->metric);
  const bool isLossTarget = target != nullptr && config::isLoss(target->metric);
  TrainedTime time;
  events::Reader reader(file);
  reader.visitAvailable([&](const events::RecordView& record) {
    time.add(record);
    for (const events::ScalarView& scalar : record.scalars) {
      const std::string& tag = reader.tags()[scalar.tag];
      const double value = scalar.value;
      if (tag == tags::kMaskAp) keepBest(facts.bestMaskAp, value, record.step, false);
      if (tag == tags::kBoxAp) keepBest(facts.bestBoxAp, value, record.step, false);
      if (tag == tags::kEvalTotalLoss) keepBest(facts.lowestHeldOutLoss, value, record.step, true);
      if (target == nullptr || facts.target || tag != targetTag || !std::isfinite(value)) continue;
      if (!isLossTarget && value < 0) continue;  // undefined
      // Scalars are floats: as a float the value 0.377 reaches the target 0.377.
      const auto wanted = static_cast<double>(static_cast<float>(target->value));
      if (isLossTarget ? value <= wanted : value >= wanted)
        facts.target = {record.step, time.seconds()};
    }
  });
  if (time.hasBegun()) facts.trainedSeconds = time.seconds();
  if (reader.damagedRecords() > 0)
    base::logWarning("runs", file.string() + ": records with a wrong checksum were skipped");
  return facts;
}

}  // namespace lockstep::cli
