#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "engine/events/record.h"

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
