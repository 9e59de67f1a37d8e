#pragma once

#include <cstddef>
#include <span>

#include "engine/base/json_writer.h"

namespace lockstep::cli {

/// JsonWriter with arrays and objects in one call.
class NestedJson : public base::JsonWriter {
 public:
  using JsonWriter::JsonWriter;
  void numbers(const char* name, std::span<const double> numbers) {
    key(name);
    values(numbers);
  }
  template <typename Write>
  void object(const char* name, Write write) {
    key(name);
    beginObject();
    write();
    endObject();
  }
  /// An array of `count` values.
  template <typename Write>
  void array(const char* name, std::size_t count, Write write) {
    key(name);
    beginArray();
    for (std::size_t i = 0; i < count; ++i) write(i);
    endArray();
  }
  template <typename Write>
  void objects(const char* name, std::size_t count, Write write) {
    array(name, count, [&](std::size_t i) {
      beginObject();
      write(i);
      endObject();
    });
  }
};

}  // namespace lockstep::cli
