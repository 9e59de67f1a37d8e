#include "engine/foreign_runs/metric_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <limits>
#include <optional>
#include <span>

#include "engine/base/error.h"

namespace lockstep::foreign_runs {
namespace {

constexpr std::size_t kMaxFiles = 100'000;
constexpr int kMaxFolderDepth = 20;

template <typename Number>
std::optional<Number> numberInWord(std::string_view text) {
  Number number{};
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

struct MetricLine {
  std::int64_t milliseconds = 0;
  double value = 0;
  std::int64_t step = 0;
};

/// Two to five words: the step is left out in old files, a data set's name and digest may follow.
std::optional<MetricLine> parse(std::string_view line) {
  std::array<std::string_view, 3> words{};
  std::size_t count = 0;
  while (!line.empty() && count < words.size()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    words[count++] = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  const auto time = numberInWord<std::int64_t>(words[0]);
  const auto value = numberInWord<double>(words[1]);
  const auto step =
      count < 3 ? std::optional<std::int64_t>(0) : numberInWord<std::int64_t>(words[2]);
  if (!time || !value || !step || *step < -kMaxStep || *step > kMaxStep) return std::nullopt;
  return MetricLine{*time, *value, *step};
}

}  // namespace

NamedFiles filesBelow(const fs::path& folder) {
  NamedFiles files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry.depth() >= kMaxFolderDepth) entry.disable_recursion_pending();
    if (!entry->is_regular_file(ignored)) continue;
    if (files.size() >= kMaxFiles)
      throw Error(folder.string() + ": has more than 100000 files; expected a file per metric");
    files.emplace(entry->path().lexically_relative(folder).generic_string(), entry->path());
  }
  if (error)
    throw Error(folder.string() + ": cannot be listed: " + error.message() +
                "; check that it exists and that you may read it");
  return files;
}

/// False: one that was read is gone.
bool MetricFiles::findMetrics(RecordStream& stream) {
  const NamedFiles files = filesBelow(folder_);
  for (const auto& [name, metric] : metrics_)
    if (!files.contains(name)) return false;
  for (const auto& [name, file] : files) {
    const auto [at, isNew] = metrics_.try_emplace(name, file);
    if (isNew) at->second.tag = stream.numberOf(name);
  }
  return true;
}

bool MetricFiles::addAppended(RecordStream& stream, Faults& faults) {
  if (!findMetrics(stream)) return false;
  for (auto& [name, metric] : metrics_)
    if (!readMetric(metric, faults)) return false;
  const auto isUnreadable = [](const auto& named) { return named.second.isUnreadable; };
  if (!metrics_.empty() && std::ranges::all_of(metrics_, isUnreadable)) throw Error(faults.first);
  addByStep(stream);
  return true;
}

bool MetricFiles::readMetric(Metric& metric, Faults& faults) {
  const std::size_t firstNew = metric.values.size();
  bool isContinued = true;
  try {
    isContinued = metric.lines.visit(
        [&](const AppendedLines::Line& line) {
          if (!addLine(metric, line.text))
            faults.add(metric.lines.placeOf(line) +
                       ": is not a line of MLflow's metrics (milliseconds value step); left out");
        },
        faults);
    metric.isUnreadable = false;
  } catch (const Error& error) {
    if (!std::exchange(metric.isUnreadable, true)) faults.add(error.what());
  }
  arrangeByStep(metric, firstNew);
  return isContinued;
}

bool MetricFiles::addLine(Metric& metric, std::string_view line) {
  const auto parsed = parse(line);
  if (!parsed) return false;
  metric.values.push_back(
      {parsed->step, static_cast<double>(parsed->milliseconds) / 1000, parsed->value});
  return true;
}

/// Sorts the values. Those after a new one of an earlier step will be added again.
void MetricFiles::arrangeByStep(Metric& metric, std::size_t firstNew) {
  std::vector<Value>& values = metric.values;
  if (firstNew == values.size()) return;
  // Only a metric without steps has equal ones.
  const bool wereCounted = firstNew > 1 && values[firstNew - 1].step == values.front().step;
  const auto last = values.begin() + static_cast<std::ptrdiff_t>(firstNew > 0 ? firstNew - 1 : 0);
  const bool isInOrder = std::ranges::adjacent_find(last, values.end(), std::greater_equal(),
                                                    &Value::step) == values.end();
  if (isInOrder && !wereCounted) return;
  const std::int64_t firstStep =
      std::ranges::min(std::span(values).subspan(firstNew), {}, &Value::step).step;
  std::ranges::stable_sort(values, {}, &Value::step);
  if (metric.hasNoSteps()) return;
  const auto isSameStep = [](const Value& a, const Value& b) { return a.step == b.step; };
  // The last of equals is the first from behind.
  const auto kept = std::unique(values.rbegin(), values.rend(), isSameStep);
  values.erase(values.begin(), kept.base());
  const auto changed = std::ranges::lower_bound(values, firstStep, {}, &Value::step);
  metric.added =
      wereCounted ? 0 : std::min(metric.added, static_cast<std::size_t>(changed - values.begin()));
}

void MetricFiles::addByStep(RecordStream& stream) {
  struct Cursor {
    Metric* metric;
    std::size_t next;
    bool isAtEnd() const { return next == metric->values.size(); }
    const Value& value() const { return metric->values[next]; }
    std::int64_t step() const {
      return metric->hasNoSteps() ? static_cast<std::int64_t>(next) : value().step;
    }
  };
  std::vector<Cursor> cursors;
  for (auto& [name, metric] : metrics_)
    if (metric.added < metric.values.size()) cursors.push_back({&metric, metric.added});
  std::vector<ForeignPoint> points;
  while (!cursors.empty()) {
    std::int64_t step = std::numeric_limits<std::int64_t>::max();
    for (const Cursor& cursor : cursors) step = std::min(step, cursor.step());
    points.clear();
    double seconds = 0;
    bool isAnyAtEnd = false;
    for (Cursor& cursor : cursors) {
      if (cursor.step() != step) continue;
      points.push_back({cursor.metric->tag, cursor.value().value});
      seconds = std::max(seconds, cursor.value().seconds);
      ++cursor.next;
      isAnyAtEnd = isAnyAtEnd || cursor.isAtEnd();
    }
    stream.add(step, seconds, points);
    if (isAnyAtEnd) std::erase_if(cursors, [](const Cursor& cursor) { return cursor.isAtEnd(); });
  }
  for (auto& [name, metric] : metrics_) metric.added = metric.values.size();
}

std::optional<std::int64_t> stepOfMetricLine(std::string_view line) {
  const auto parsed = parse(line);
  return parsed ? std::optional(parsed->step) : std::nullopt;
}

}  // namespace lockstep::foreign_runs
