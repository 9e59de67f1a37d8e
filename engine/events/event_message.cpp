#include "engine/events/event_message.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "engine/events/record_frame.h"
#include "engine/events/summary_fields.h"
#include "engine/events/tags.h"

namespace lockstep::events {
namespace {

using protozero::pbf_reader;
using protozero::pbf_writer;
using protozero::tag_and_type;
using Wire = protozero::pbf_wire_type;

// Field numbers.
namespace event {
enum : std::uint32_t {
  WallTime = 1,
  Step = 2,
  FileVersion = 3,
  Summary = 5,
  SessionLog = 7,
  Source = 10
};
}
namespace summary = summary_fields::summary;
namespace value = summary_fields::value;
namespace tensor = summary_fields::tensor;
namespace shape = summary_fields::shape;
namespace dimension = summary_fields::dimension;
namespace metadata = summary_fields::metadata;
namespace plugin = summary_fields::plugin;
namespace session {
enum : std::uint32_t { Status = 1 };
}
namespace source {
enum : std::uint32_t { Writer = 1 };
}

using summary_fields::kStringType;
using summary_fields::kTensorClass;
constexpr int kSessionStart = 1;
constexpr std::string_view kFileVersion = "brain.Event:2";

/// protozero truncates a key or a length to 32 bits, where protobuf rejects a longer varint.
void rejectLongVarint(const char* begin, const char* end) {
  const std::ptrdiff_t bytes = end - begin;
  if (bytes > 5 || (bytes == 5 && static_cast<unsigned char>(end[-1]) > 0x0f))
    throw protozero::varint_too_long_exception();
}

/// Moves to the next field; throws protozero::exception for invalid bytes.
bool next(pbf_reader& fields) {
  const char* const key = fields.data().data();
  if (!fields.next()) return false;
  const char* const content = fields.data().data();
  rejectLongVarint(key, content);
  if (fields.has_wire_type(Wire::length_delimited)) {
    pbf_reader ahead = fields;
    rejectLongVarint(content, ahead.get_view().data());
  }
  return true;
}

template <typename Number>
float numberIn(std::uint64_t bits) {
  Number number{};
  std::memcpy(&number, &bits, sizeof number);
  return static_cast<float>(number);
}

float halfIn(std::uint64_t bits) {
  const auto fraction = static_cast<float>(bits & 0x3ff);
  const int exponent = static_cast<int>(bits >> 10 & 0x1f);
  float size =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 0x1f) size = fraction == 0 ? INFINITY : NAN;
  return (bits & 0x8000) != 0 ? -size : size;
}

float bfloat16In(std::uint64_t bits) { return numberIn<float>(bits << 16); }

/// An element type of types.proto that TensorBoard shows as a scalar.
struct NumberType {
  std::uint64_t type;
  std::uint32_t field;  ///< of the tensor, with the elements unless they are its content
  std::size_t bytes;    ///< of an element in the content
  float (*number)(std::uint64_t bits);
};
constexpr NumberType kNumberTypes[] = {{1, tensor::FloatVal, 4, numberIn<float>},
                                       {2, tensor::DoubleVal, 8, numberIn<double>},
                                       {3, tensor::IntVal, 4, numberIn<std::int32_t>},
                                       {4, tensor::IntVal, 1, numberIn<std::uint8_t>},
                                       {5, tensor::IntVal, 2, numberIn<std::int16_t>},
                                       {6, tensor::IntVal, 1, numberIn<std::int8_t>},
                                       {9, tensor::Int64Val, 8, numberIn<std::int64_t>},
                                       {10, tensor::BoolVal, 1, numberIn<std::uint8_t>},
                                       {14, tensor::HalfVal, 2, bfloat16In},
                                       {17, tensor::IntVal, 2, numberIn<std::uint16_t>},
                                       {19, tensor::HalfVal, 2, halfIn},
                                       {22, tensor::Uint32Val, 4, numberIn<std::uint32_t>},
                                       {23, tensor::Uint64Val, 8, numberIn<std::uint64_t>}};

/// Bits of the first element.
std::optional<std::uint64_t> bitsAt(std::string_view content, std::size_t bytes) {
  std::uint64_t bits = 0;
  if (content.size() < bytes) return std::nullopt;
  std::memcpy(&bits, content.data(), bytes);
  return bits;
}

/// Bits of a field's first element: packed in current files, unpacked in old ones.
std::optional<std::uint64_t> readBits(pbf_reader& fields) {
  const Wire single = fields.tag() == tensor::FloatVal    ? Wire::fixed32
                      : fields.tag() == tensor::DoubleVal ? Wire::fixed64
                                                          : Wire::varint;
  if (fields.has_wire_type(single)) {
    if (single == Wire::fixed32) return fields.get_fixed32();
    return single == Wire::fixed64 ? fields.get_fixed64() : fields.get_uint64();
  }
  if (!fields.has_wire_type(Wire::length_delimited)) {
    fields.skip();
    return std::nullopt;
  }
  const std::string_view elements = fields.get_view();
  if (single != Wire::varint) return bitsAt(elements, single == Wire::fixed32 ? 4 : 8);
  if (elements.empty()) return std::nullopt;
  const char* first = elements.data();
  return protozero::decode_varint(&first, first + elements.size());
}

std::uint64_t sizeOfDimension(std::string_view bytes) {
  std::uint64_t size = 0;
  pbf_reader fields(bytes);
  while (next(fields)) {
    if (fields.tag_and_type() == tag_and_type(dimension::Size, Wire::varint))
      size = fields.get_uint64();
    else
      fields.skip();
  }
  return size;
}

/// True if the tensor has one element.
bool isScalarShape(std::string_view bytes) try {
  pbf_reader fields(bytes);
  while (next(fields)) {
    switch (fields.tag_and_type()) {
      case tag_and_type(shape::Dimension, Wire::length_delimited):
        if (sizeOfDimension(fields.get_view()) != 1) return false;
        break;
      case tag_and_type(shape::UnknownRank, Wire::varint):
        if (fields.get_uint64() != 0) return false;
        break;
      default:
        fields.skip();
    }
  }
  return true;
} catch (const protozero::exception&) {
  return false;
}

/// A tensor with one number or string.
struct TensorContent {
  std::optional<float> number;
  std::optional<std::string_view> text;
};

TensorContent parseTensor(std::string_view bytes) try {
  std::uint64_t type = 0;
  bool isScalar = true;
  std::string_view content;
  std::optional<std::uint64_t> bits;
  std::uint32_t fieldOfBits = 0;
  TensorContent result;
  pbf_reader fields(bytes);
  while (next(fields)) {
    const std::uint32_t field = fields.tag();
    switch (fields.tag_and_type()) {
      case tag_and_type(tensor::Type, Wire::varint):
        type = fields.get_uint64();
        break;
      case tag_and_type(tensor::Shape, Wire::length_delimited):
        isScalar = isScalarShape(fields.get_view());
        break;
      case tag_and_type(tensor::Content, Wire::length_delimited):
        content = fields.get_view();
        break;
      case tag_and_type(tensor::StringVal, Wire::length_delimited):
        if (const std::string_view text = fields.get_view(); !result.text) result.text = text;
        break;
      default:
        if (bits || std::ranges::find(kNumberTypes, field, &NumberType::field) ==
                        std::ranges::end(kNumberTypes)) {
          fields.skip();
        } else {
          bits = readBits(fields);
          fieldOfBits = field;
        }
    }
  }
  if (type != kStringType) result.text.reset();
  const auto* const known = std::ranges::find(kNumberTypes, type, &NumberType::type);
  if (!isScalar || known == std::ranges::end(kNumberTypes)) return result;
  if (!bits || fieldOfBits != known->field) bits = bitsAt(content, known->bytes);
  if (bits) result.number = known->number(*bits);
  return result;
} catch (const protozero::exception&) {
  return {};
}

/// Name of the plugin in a value's metadata; empty: none.
std::string_view pluginIn(std::string_view bytes) try {
  std::string_view name;
  pbf_reader fields(bytes);
  while (next(fields)) {
    if (fields.tag_and_type() != tag_and_type(metadata::PluginData, Wire::length_delimited)) {
      fields.skip();
      continue;
    }
    pbf_reader pluginFields(fields.get_view());
    while (next(pluginFields)) {
      if (pluginFields.tag_and_type() == tag_and_type(plugin::Name, Wire::length_delimited)) {
        name = pluginFields.get_view();
      } else {
        pluginFields.skip();
      }
    }
  }
  return name;
} catch (const protozero::exception&) {
  return {};
}

Media mediaOf(std::string_view plugin) {
  if (plugin == "images") return Media::Images;
  if (plugin == "histograms") return Media::Histograms;
  if (plugin == "audio") return Media::Audio;
  return plugin == "text" ? Media::Texts : Media::Other;
}

/// True for tags of this program and of TensorBoard's layout, which hold no values to show.
bool isInternal(std::string_view tag, std::string_view plugin) {
  return tag == kEventTag || tags::isHyperParameters(tag) || plugin == "custom_scalars";
}

void parseValue(std::string_view bytes, EventMessage& message) {
  std::string_view tag, plugin;
  std::optional<float> number;
  std::optional<std::string_view> tensorBytes;
  std::optional<Media> media;
  pbf_reader fields(bytes);
  while (next(fields)) {
    switch (fields.tag_and_type()) {
      case tag_and_type(value::Tag, Wire::length_delimited):
        tag = fields.get_view();
        break;
      case tag_and_type(value::SimpleValue, Wire::fixed32):
        number = fields.get_float();
        break;
      case tag_and_type(value::Tensor, Wire::length_delimited):
        tensorBytes = fields.get_view();
        break;
      case tag_and_type(value::Metadata, Wire::length_delimited):
        plugin = pluginIn(fields.get_view());
        break;
      case tag_and_type(value::Image, Wire::length_delimited):
        media = Media::Images;
        fields.skip();
        break;
      case tag_and_type(value::OldHistogram, Wire::length_delimited):
      case tag_and_type(value::Histogram, Wire::length_delimited):
        media = Media::Histograms;
        fields.skip();
        break;
      case tag_and_type(value::Audio, Wire::length_delimited):
        media = Media::Audio;
        fields.skip();
        break;
      default:
        fields.skip();
    }
  }
  if (tensorBytes && !number) {
    const TensorContent content = parseTensor(*tensorBytes);
    number = content.number;
    if (content.text && tag == kEventTag) message.json = *content.text;
    if (content.text && tag == kEventTag && !number) message.kind = Record::Kind::Event;
  }
  if (number) {
    message.scalars.emplace_back(tag, *number);
  } else if ((media || tensorBytes) && !isInternal(tag, plugin)) {
    message.media.emplace_back(tag, media.value_or(mediaOf(plugin)));
  }
  if (message.kind == Record::Kind::Other && tags::isHyperParameters(tag))
    message.kind = Record::Kind::HyperParameters;
}

void parseSummary(std::string_view bytes, EventMessage& message) {
  pbf_reader fields(bytes);
  while (next(fields)) {
    if (fields.tag_and_type() == tag_and_type(summary::Value, Wire::length_delimited)) {
      parseValue(fields.get_view(), message);
    } else {
      fields.skip();
    }
  }
  if (!message.scalars.empty()) message.kind = Record::Kind::Scalars;
}

bool isSessionStart(std::string_view bytes) try {
  pbf_reader fields(bytes);
  std::uint64_t status = 0;
  while (next(fields)) {
    if (fields.tag_and_type() == tag_and_type(session::Status, Wire::varint)) {
      status = fields.get_uint64();
    } else {
      fields.skip();
    }
  }
  return status == kSessionStart;
} catch (const protozero::exception&) {
  return false;
}

void parseFields(std::string_view bytes, EventMessage& message) {
  pbf_reader fields(bytes);
  while (next(fields)) {
    switch (fields.tag_and_type()) {
      case tag_and_type(event::WallTime, Wire::fixed64):
        message.wallTime = fields.get_double();
        break;
      case tag_and_type(event::Step, Wire::varint):
        message.step = fields.get_int64();
        break;
      case tag_and_type(event::FileVersion, Wire::length_delimited):
        fields.skip();
        message.kind = Record::Kind::FileVersion;
        break;
      case tag_and_type(event::SessionLog, Wire::length_delimited):
        if (isSessionStart(fields.get_view())) message.kind = Record::Kind::SessionStart;
        break;
      case tag_and_type(event::Summary, Wire::length_delimited):
        parseSummary(fields.get_view(), message);
        break;
      default:
        fields.skip();
    }
  }
}

std::string summaryOfScalars(const ScalarValues& scalars) {
  std::string result;
  pbf_writer values(result);
  for (const auto& [tag, number] : scalars) {
    pbf_writer fields(values, summary::Value);
    fields.add_string(value::Tag, tag);
    fields.add_float(value::SimpleValue, number);
  }
  return result;
}

/// A string for TensorBoard's text plugin. Every record has the metadata, because a resume may
/// truncate the first record.
std::string summaryOfText(std::string_view tag, std::string_view text) {
  std::string pluginName, pluginData, one, result, tensorBytes;
  pbf_writer(pluginName).add_string(plugin::Name, "text");
  pbf_writer pluginFields(pluginData);
  pluginFields.add_message(metadata::PluginData, pluginName);
  pluginFields.add_enum(metadata::DataClass, kTensorClass);
  pbf_writer tensorFields(tensorBytes);
  tensorFields.add_enum(tensor::Type, kStringType);
  tensorFields.add_message(tensor::Shape, std::string());
  tensorFields.add_bytes(tensor::StringVal, text);
  pbf_writer fields(one);
  fields.add_string(value::Tag, tag);
  fields.add_message(value::Tensor, tensorBytes);
  fields.add_message(value::Metadata, pluginData);
  pbf_writer(result).add_message(summary::Value, one);
  return result;
}

std::string serialiseEvent(const Record& record) {
  std::string bytes, inner;
  pbf_writer fields(bytes);
  // Like protobuf's own writers: by field number, default values omitted.
  if (record.wallTime != 0) fields.add_double(event::WallTime, record.wallTime);
  if (record.step != 0) fields.add_int64(event::Step, record.step);
  switch (record.kind) {
    case Record::Kind::FileVersion:
      fields.add_string(event::FileVersion, kFileVersion);
      pbf_writer(inner).add_string(source::Writer, kWriter);
      fields.add_message(event::Source, inner);
      break;
    case Record::Kind::Scalars:
      fields.add_message(event::Summary, summaryOfScalars(record.scalars));
      break;
    case Record::Kind::Event:
      fields.add_message(event::Summary, summaryOfText(kEventTag, record.json));
      break;
    case Record::Kind::SessionStart:
      pbf_writer(inner).add_enum(session::Status, kSessionStart);
      fields.add_message(event::SessionLog, inner);
      break;
    case Record::Kind::HyperParameters:
    case Record::Kind::Other:
      if (!record.summary.empty()) fields.add_message(event::Summary, record.summary);
      break;
  }
  return bytes;
}

}  // namespace

bool parseEvent(std::string_view bytes, EventMessage& message) try {
  message.wallTime = 0;
  message.step = 0;
  message.kind = Record::Kind::Other;
  message.scalars.clear();
  message.json = {};
  message.media.clear();
  parseFields(bytes, message);
  return !std::isnan(message.wallTime);
} catch (const protozero::exception&) {
  return false;
}

std::string encodeRecord(const Record& record) { return frameOf(serialiseEvent(record)); }

}  // namespace lockstep::events
