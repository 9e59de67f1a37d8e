#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "engine/events/hyper_parameters.h"
#include "engine/events/image_summary.h"
#include "engine/events/tags.h"

/// Records and files that several tests use.
namespace lockstep::tests {

inline events::Record scalarRecord(std::int64_t step, events::ScalarValues values,
                                   double time = 1000.5) {
  events::Record record;
  record.kind = events::Record::Kind::Scalars;
  record.step = step;
  record.wallTime = time;
  record.scalars = std::move(values);
  return record;
}

inline events::Record eventRecord(std::int64_t step, std::string json, double time = 1000.5) {
  events::Record record;
  record.kind = events::Record::Kind::Event;
  record.step = step;
  record.wallTime = time;
  record.json = std::move(json);
  return record;
}

inline events::Record versionRecord() {
  events::Record record;
  record.kind = events::Record::Kind::FileVersion;
  record.wallTime = 999;
  return record;
}

/// The header of a PNG alone: nothing decodes it.
inline events::ImageSummary pictureSummary(std::int64_t imageId, std::int64_t step, double time) {
  return {.tag = events::tags::evalPredictions(imageId),
          .step = step,
          .wallTime = time,
          .width = 4,
          .height = 3,
          .png = std::string_view("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\4\0\0\0\3", 24)};
}

/// One of each type, with values that protobuf leaves out where it may.
inline std::vector<events::HyperParameter> sampleParameters() {
  return {{"augment.min_size", std::string("[800]")},
          {"solver.base_lr", 0.0, true},
          {"solver.nesterov", false}};
}

inline std::string bytesOf(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void writeBytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

inline void appendBytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::app) << bytes;
}

}  // namespace lockstep::tests
