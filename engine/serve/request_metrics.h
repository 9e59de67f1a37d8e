#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "engine/serve/model_workers.h"

namespace lockstep::serve {

/// Counts and times of requests, as Prometheus reads them.
class RequestMetrics {
 public:
  /// One that was answered or refused. `route`: of a fixed set, so that nobody can make the table
  /// grow.
  void count(const std::string& route, int status);
  /// One that was answered, and how long that took.
  void add(const std::string& route, int status, double seconds);
  /// The exposition format, version 0.0.4.
  std::string text(const ModelWorkers* workers) const;

 private:
  /// Upper bounds in seconds; the last is infinite.
  static constexpr std::array kBounds{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0};
  struct Times {
    std::array<std::int64_t, kBounds.size() + 1> counts{};
    double sum = 0;
  };

  std::map<std::pair<std::string, int>, std::int64_t> requests_;
  std::map<std::string, Times> times_;
};

}  // namespace lockstep::serve
