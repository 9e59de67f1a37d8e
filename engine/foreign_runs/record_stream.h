#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/events/reader.h"
#include "engine/events/tag_table.h"

namespace lockstep::foreign_runs {

using Visitor = std::function<void(const events::RecordView&)>;

/// A value of another program, with the number of its tag there.
struct ForeignPoint {
  std::size_t tag = 0;
  double value = 0;
};

/// Steps beyond are taken for damage.
inline constexpr std::int64_t kMaxStep = std::int64_t{1} << 53;

/// Turns what another program logged into records as of our own runs: our tags and units, steps of
/// each tag in ascending order, seq rising over the whole run.
///
/// A value at a step that its tag has already passed replaces what came at that step and later:
/// the program was resumed from an older checkpoint. The record before it is then a SessionStart at
/// that step, whose scalars name the tags that lose their values from there on; if it names none,
/// all do.
class RecordStream {
 public:
  /// Which tags go back with one that goes back.
  enum class Resumes {
    WholeRun,  ///< all that had not got further than it: those count the same steps
    EachTag,   ///< none
  };
  explicit RecordStream(Resumes resumes) : resumes_(resumes) {}

  /// Sends records to `visitor`, until finish().
  void start(const Visitor& visitor) { visitor_ = &visitor; }
  void finish();

  /// Number of a tag of the other program.
  std::size_t numberOf(std::string_view foreignTag) { return foreign_.indexOf(foreignTag); }
  const std::string& nameOf(std::size_t foreignTag) const { return foreign_.names()[foreignTag]; }
  /// Our tags, in order of first occurrence. Only grows.
  const std::vector<std::string>& tags() const { return tags_; }

  /// Values of one step. Values that come alone are joined with those before them of the same step,
  /// as writers of one value per record have them. wallTime: seconds since 1970.
  void add(std::int64_t step, double wallTime, std::span<const ForeignPoint> points);
  /// An event of a log of ours.
  void addEvent(std::int64_t step, double wallTime, std::string_view json);
  /// The program says that it goes on from this step: all values from it on are replaced.
  void startSession(std::int64_t step, double wallTime);

 private:
  struct Translation {
    std::size_t tag = 0;
    double factor = 1;
  };
  void flush();
  void send(std::int64_t step, double wallTime, std::span<const ForeignPoint> points);
  void translate(std::int64_t step, std::span<const ForeignPoint> points);
  const Translation& translationOf(std::size_t foreignTag);
  void goBack(std::int64_t step, double wallTime);
  void sendRecord(events::RecordView record);

  Resumes resumes_;
  const Visitor* visitor_ = nullptr;
  events::TagTable foreign_;
  std::vector<std::optional<Translation>> translations_;  ///< by foreign tag
  std::vector<std::string> tags_;
  std::unordered_map<std::string, std::size_t> tagNumbers_;
  std::vector<std::int64_t> lastSteps_;    ///< by tag of ours: no value has a later step
  std::vector<std::int64_t> lastRecords_;  ///< by tag of ours: seq of the last with a value
  std::int64_t seq_ = 0;                   ///< of the next record
  /// The last records have this step, since that one.
  std::int64_t currentStep_ = 0, currentSince_ = 0;

  // Values that came alone, of one step.
  std::vector<ForeignPoint> joined_;
  std::int64_t joinedStep_ = 0;
  double joinedTime_ = 0;

  // Of the record that is being made.
  std::vector<events::ScalarView> scalars_;
  std::vector<std::size_t> positions_;    ///< by tag of ours, in scalars_
  std::vector<events::ScalarView> back_;  ///< tags that go back
};

}  // namespace lockstep::foreign_runs
