#include "engine/foreign_runs/record_stream.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/foreign_runs/foreign_tags.h"

namespace lockstep::foreign_runs {
namespace {

using events::Record;

/// Programs that count no steps log all values at step 0.
constexpr std::size_t kMostJoined = 10'000;

constexpr std::int64_t kNoStep = std::numeric_limits<std::int64_t>::min();

float asFloat(double value) {
  constexpr float kMost = std::numeric_limits<float>::max();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (std::isnan(value) || std::abs(value) <= kMost) return static_cast<float>(value);
  return value > 0 ? kInfinity : -kInfinity;
}

}  // namespace

void RecordStream::finish() {
  flush();
  visitor_ = nullptr;
}

void RecordStream::add(std::int64_t step, double wallTime, std::span<const ForeignPoint> points) {
  if (points.size() != 1) {
    flush();
    if (!points.empty()) send(step, wallTime, points);
    return;
  }
  if (step != joinedStep_ || joined_.size() == kMostJoined) flush();
  if (joined_.empty()) {
    joinedStep_ = step;
    joinedTime_ = wallTime;
  }
  joined_.push_back(points.front());
}

void RecordStream::addEvent(std::int64_t step, double wallTime, std::string_view json) {
  flush();
  sendRecord({.wallTime = wallTime,
              .step = step,
              .kind = Record::Kind::Event,
              .scalars = {},
              .json = json});
}

void RecordStream::startSession(std::int64_t step, double wallTime) {
  flush();
  for (std::int64_t& last : lastSteps_) last = std::min(last, step - 1);
  sendRecord({.wallTime = wallTime,
              .step = step,
              .kind = Record::Kind::SessionStart,
              .scalars = {},
              .json = {}});
}

void RecordStream::flush() {
  if (joined_.empty()) return;
  send(joinedStep_, joinedTime_, joined_);
  joined_.clear();
}

void RecordStream::send(std::int64_t step, double wallTime, std::span<const ForeignPoint> points) {
  if (step != std::exchange(currentStep_, step)) currentSince_ = seq_;
  translate(step, points);
  if (!back_.empty()) goBack(step, wallTime);
  for (const events::ScalarView& scalar : scalars_) {
    lastSteps_[scalar.tag] = step;
    lastRecords_[scalar.tag] = seq_;
  }
  sendRecord({.wallTime = wallTime,
              .step = step,
              .kind = Record::Kind::Scalars,
              .scalars = scalars_,
              .json = {}});
}

/// Fills scalars_ and back_. Of two values of a tag the later counts.
void RecordStream::translate(std::int64_t step, std::span<const ForeignPoint> points) {
  scalars_.clear();
  back_.clear();
  for (const ForeignPoint& point : points) {
    const Translation& own = translationOf(point.tag);
    const float value = asFloat(own.factor == 1 ? point.value : point.value * own.factor);
    std::size_t& position = positions_[own.tag];
    if (position < scalars_.size() && scalars_[position].tag == own.tag) {
      scalars_[position].value = value;
      continue;
    }
    position = scalars_.size();
    scalars_.push_back({own.tag, value});
    if (step <= lastSteps_[own.tag]) back_.push_back({own.tag, 0});
  }
}

/// A program may log one curve under several names, such as a loss by step and by epoch: the first
/// that occurs is ours, the others keep their names.
const RecordStream::Translation& RecordStream::translationOf(std::size_t foreignTag) {
  if (foreignTag < translations_.size() && translations_[foreignTag])
    return *translations_[foreignTag];
  translations_.resize(std::max(translations_.size(), foreign_.names().size()));
  const std::string& foreign = nameOf(foreignTag);
  OwnTag own = ownTagOf(foreign);
  if (tagNumbers_.contains(own.tag)) own = {foreign};
  while (tagNumbers_.contains(own.tag)) own.tag = "other/" + own.tag;
  const std::size_t number = tags_.size();
  tagNumbers_.emplace(own.tag, number);
  tags_.push_back(own.tag);
  lastSteps_.push_back(kNoStep);
  lastRecords_.push_back(-1);
  positions_.push_back(0);
  return translations_[foreignTag].emplace(number, own.factor);
}

void RecordStream::goBack(std::int64_t step, double wallTime) {
  std::int64_t furthest = kNoStep;
  for (const events::ScalarView& tag : back_) furthest = std::max(furthest, lastSteps_[tag.tag]);
  // A second value of the same step is no resume.
  const bool isResume = furthest > step;
  std::size_t later = 0;  // tags with values to replace, if all went back
  for (std::size_t tag = 0; tag < lastSteps_.size(); ++tag) {
    if (lastSteps_[tag] < step) continue;
    ++later;
    const bool isListed = positions_[tag] < scalars_.size() && scalars_[positions_[tag]].tag == tag;
    const bool isNew = lastSteps_[tag] == step && lastRecords_[tag] >= currentSince_;
    const bool goesAlong = isResume && !isNew && lastSteps_[tag] <= furthest;
    if (!isListed && goesAlong && resumes_ == Resumes::WholeRun) back_.push_back({tag, 0});
  }
  for (const events::ScalarView& tag : back_) lastSteps_[tag.tag] = step - 1;
  const bool isAll = back_.size() == later;
  sendRecord({.wallTime = wallTime,
              .step = step,
              .kind = Record::Kind::SessionStart,
              .scalars = isAll ? std::span<const events::ScalarView>() : back_,
              .json = {}});
}

void RecordStream::sendRecord(events::RecordView record) {
  record.seq = seq_++;
  (*visitor_)(record);
}

}  // namespace lockstep::foreign_runs
