#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/foreign_runs/run_reader.h"
#include "tests/events/record_samples.h"
#include "tests/support/write_text.h"

/// Small logs of other programs, in the layouts that they document.
namespace lockstep::tests {

/// Values of one step as torch's SummaryWriter writes them: a record for each.
inline std::string torchRecords(std::int64_t step, const events::ScalarValues& values,
                                double time = 1000) {
  std::string bytes;
  for (const auto& value : values) bytes += events::encodeRecord(scalarRecord(step, {value}, time));
  return bytes;
}

/// Each curve as a run's history has it: step and value, of which a start of a session replaces
/// some. Fails where the contract of RecordStream does not hold.
class Curves {
 public:
  using Curve = std::vector<std::pair<std::int64_t, float>>;

  void add(const events::RecordView& record, const std::vector<std::string>& tags) {
    using enum events::Record::Kind;
    if (record.seq <= lastSeq_) fault_ = "seq does not rise";
    lastSeq_ = record.seq;
    ++records_;
    if (record.kind == SessionStart) {
      ++sessions_;
      for (auto& [tag, curve] : curves_)
        if (record.scalars.empty()) cut(curve, record.step);
      for (const events::ScalarView& scalar : record.scalars)
        cut(curves_[tags.at(scalar.tag)], record.step);
    }
    if (record.kind != Scalars) return;
    for (const events::ScalarView& scalar : record.scalars) {
      Curve& curve = curves_[tags.at(scalar.tag)];
      if (!curve.empty() && curve.back().first >= record.step)
        fault_ = tags[scalar.tag] + " goes back to step " + std::to_string(record.step);
      curve.emplace_back(record.step, scalar.value);
      times_[record.step] = record.wallTime;
    }
  }

  /// Reads on; false: the reader says to start over.
  bool read(foreign_runs::RunReader& reader) {
    return reader.visitAppended(
        [&](const events::RecordView& record) { add(record, reader.tags()); });
  }

  const Curve& operator[](const std::string& tag) const {
    static const Curve none;
    const auto found = curves_.find(tag);
    return found == curves_.end() ? none : found->second;
  }
  std::vector<std::string> tags() const {
    std::vector<std::string> names;
    for (const auto& [tag, curve] : curves_) names.push_back(tag);
    return names;
  }
  double timeOf(std::int64_t step) const { return times_.at(step); }
  std::int64_t records() const { return records_; }
  std::int64_t sessions() const { return sessions_; }
  std::int64_t lastSeq() const { return lastSeq_; }
  /// Empty: none.
  const std::string& fault() const { return fault_; }
  friend bool operator==(const Curves& a, const Curves& b) { return a.textOf() == b.textOf(); }
  /// Also of values that are not finite.
  std::string textOf() const {
    std::string text;
    for (const auto& [tag, curve] : curves_) {
      text += tag + ":";
      for (const auto& [step, value] : curve)
        text += " " + std::to_string(step) + "=" + std::to_string(value);
      text += "\n";
    }
    return text;
  }

 private:
  static void cut(Curve& curve, std::int64_t step) {
    while (!curve.empty() && curve.back().first >= step) curve.pop_back();
  }

  std::map<std::string, Curve> curves_;
  std::map<std::int64_t, double> times_;
  std::int64_t lastSeq_ = -1, records_ = 0, sessions_ = 0;
  std::string fault_;
};

/// All of a run; throws std::logic_error where the records break their contract.
inline Curves curvesOf(const std::filesystem::path& folder) {
  foreign_runs::RunReader reader(foreign_runs::runIn(folder).value());
  Curves curves;
  if (!curves.read(reader) || !curves.fault().empty())
    throw std::logic_error("no run: " + curves.fault());
  return curves;
}

}  // namespace lockstep::tests
