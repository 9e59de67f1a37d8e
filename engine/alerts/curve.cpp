#include "engine/alerts/curve.h"

#include <algorithm>
#include <cmath>

namespace lockstep::alerts {
namespace {

void append(Curve::Point& point, const Curve::Point& next) {
  point.last = next.last;
  point.count += next.count;
  point.sum += next.sum;
  point.least = std::min(point.least, next.least);
  point.most = std::max(point.most, next.most);
}

}  // namespace

void Curve::add(std::int64_t step, double value) {
  if (!std::isfinite(value)) return;
  const Point point{step, step, 1, value, value, value};
  recent_.push_back(point);
  if (recent_.size() > kRecentValues) recent_.pop_front();
  if (!points_.empty() && points_.back().count < valuesPerPoint_)
    append(points_.back(), point);
  else
    points_.push_back(point);
  if (points_.size() > kMostPoints) halve();
}

void Curve::halve() {
  for (std::size_t i = 0; i + 1 < points_.size(); i += 2) {
    append(points_[i], points_[i + 1]);
    points_[i / 2] = points_[i];
  }
  if (points_.size() % 2 == 1) points_[points_.size() / 2] = points_.back();
  points_.resize((points_.size() + 1) / 2);
  valuesPerPoint_ *= 2;
}

void Curve::forgetFrom(std::int64_t step) {
  const auto isForgotten = [step](const Point& point) { return point.last >= step; };
  std::erase_if(points_, isForgotten);
  std::erase_if(recent_, isForgotten);
}

double Curve::highest() const {
  const auto highest = std::ranges::max_element(points_, {}, &Point::most);
  return highest == points_.end() ? 0 : highest->most;
}

std::optional<std::int64_t> Curve::startOfNewest(std::size_t values) const {
  if (recent_.size() < values) return std::nullopt;
  return recent_[recent_.size() - values].first;
}

std::vector<Curve::Point> Curve::within(std::int64_t first, std::int64_t last) const {
  const auto isWithin = [&](const Point& point) {
    return point.first >= first && point.last <= last;
  };
  std::vector<Point> within;
  if (!recent_.empty() && recent_.front().first <= first)
    std::ranges::copy_if(recent_, std::back_inserter(within), isWithin);
  else
    std::ranges::copy_if(points_, std::back_inserter(within), isWithin);
  return within;
}

std::optional<double> Curve::mean(std::int64_t first, std::int64_t last) const {
  const std::vector<Point> points = within(first, last);
  if (points.empty()) return std::nullopt;
  Point all = points.front();
  for (auto point = points.begin() + 1; point != points.end(); ++point) append(all, *point);
  return all.mean();
}

std::optional<double> Curve::median(std::int64_t first, std::int64_t last) const {
  std::vector<Point> points = within(first, last);
  if (points.empty()) return std::nullopt;
  const auto middle = points.begin() + static_cast<std::ptrdiff_t>(points.size() / 2);
  std::ranges::nth_element(points, middle, {}, &Point::mean);
  return middle->mean();
}

void Curves::add(std::int64_t step, std::string_view tag, double value) {
  auto found = byTag_.find(tag);
  if (found == byTag_.end()) found = byTag_.emplace(tag, Curve()).first;
  found->second.add(step, value);
}

void Curves::forgetFrom(std::int64_t step) {
  for (auto& [tag, curve] : byTag_) curve.forgetFrom(step);
}

const Curve& Curves::of(std::string_view tag) const {
  static const Curve kNone;
  const auto found = byTag_.find(tag);
  return found == byTag_.end() ? kNone : found->second;
}

std::vector<std::pair<std::string, const Curve*>> Curves::startingWith(
    std::string_view prefix) const {
  std::vector<std::pair<std::string, const Curve*>> found;
  for (auto at = byTag_.lower_bound(prefix); at != byTag_.end() && at->first.starts_with(prefix);
       ++at)
    found.emplace_back(at->first, &at->second);
  return found;
}

}  // namespace lockstep::alerts
