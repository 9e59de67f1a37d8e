#include "engine/serve/request_metrics.h"

#include <algorithm>

#include "engine/base/number_text.h"

namespace lockstep::serve {
namespace {

void describe(std::string& text, const char* name, const char* type, const char* help) {
  text += std::string("# HELP ") + name + ' ' + help + "\n# TYPE " + name + ' ' + type + '\n';
}

void addValue(std::string& text, const std::string& name, double value) {
  text += name + ' ' + base::shortNumber(value, 9) + '\n';
}

void addValue(std::string& text, const std::string& name, std::int64_t count) {
  text += name + ' ' + std::to_string(count) + '\n';
}

}  // namespace

void RequestMetrics::count(const std::string& route, int status) { ++requests_[{route, status}]; }

void RequestMetrics::add(const std::string& route, int status, double seconds) {
  count(route, status);
  Times& times = times_[route];
  const auto bound = std::ranges::lower_bound(kBounds, seconds);
  ++times.counts[static_cast<std::size_t>(bound - kBounds.begin())];
  times.sum += seconds;
}

std::string RequestMetrics::text(const ModelWorkers* workers) const {
  std::string text;
  describe(text, "lockstep_requests_total", "counter", "Requests that were answered or refused.");
  for (const auto& [key, count] : requests_)
    addValue(text,
             "lockstep_requests_total{route=\"" + key.first + "\",status=\"" +
                 std::to_string(key.second) + "\"}",
             count);
  describe(text, "lockstep_request_seconds", "histogram",
           "Time from the complete request to its response, in seconds.");
  for (const auto& [route, times] : times_) {
    const std::string label = "{route=\"" + route + "\"";
    std::int64_t below = 0;
    for (std::size_t i = 0; i < times.counts.size(); ++i) {
      below += times.counts[i];
      const std::string bound = i < kBounds.size() ? base::shortNumber(kBounds[i]) : "+Inf";
      addValue(text, "lockstep_request_seconds_bucket" + label + ",le=\"" + bound + "\"}", below);
    }
    addValue(text, "lockstep_request_seconds_sum" + label + "}", times.sum);
    addValue(text, "lockstep_request_seconds_count" + label + "}", below);
  }
  if (workers == nullptr) return text;
  describe(text, "lockstep_images_waiting", "gauge", "Images that wait for a worker.");
  addValue(text, "lockstep_images_waiting", static_cast<std::int64_t>(workers->waiting()));
  describe(text, "lockstep_images_total", "counter", "Images that workers have taken.");
  addValue(text, "lockstep_images_total", workers->statistics().images);
  describe(text, "lockstep_batches_total", "counter", "Batches that workers have taken.");
  addValue(text, "lockstep_batches_total", workers->statistics().batches);
  describe(text, "lockstep_worker_restarts_total", "counter", "Workers that were replaced.");
  addValue(text, "lockstep_worker_restarts_total", workers->statistics().restarts);
  describe(text, "lockstep_model_step", "gauge", "Training step of the weights; 0: unknown.");
  addValue(text, "lockstep_model_step", workers->weights()->step());
  return text;
}

}  // namespace lockstep::serve
