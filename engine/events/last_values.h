#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace lockstep::events {

struct LastValue {
  std::int64_t step = 0;
  float value = 0;
};
/// By tag.
using LastValues = std::map<std::string, LastValue, std::less<>>;

/// The last value of each tag in the end of an event file, from the first record that begins within
/// `maxBytes` of it: a tag whose values all lie before is missing. Damaged records are skipped.
/// Throws Error.
LastValues readLastValues(const std::filesystem::path& file, std::int64_t maxBytes);

}  // namespace lockstep::events
