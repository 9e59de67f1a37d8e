#include "engine/events/event_message.h"

#include <cmath>
#include <cstring>
#include <optional>

#include "engine/events/protobuf_wire.h"

namespace lockstep::events {
namespace {

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
namespace summary {
enum : std::uint32_t { Value = 1 };
}
namespace value {
enum : std::uint32_t { Tag = 1, SimpleValue = 2, Tensor = 8, Metadata = 9 };
}
namespace tensor {
enum : std::uint32_t {
  Type = 1,
  Shape = 2,
  Content = 4,
  FloatVal = 5,
  DoubleVal = 6,
  StringVal = 8
};
}
namespace shape {
enum : std::uint32_t { Dimension = 2, UnknownRank = 3 };
}
namespace metadata {
enum : std::uint32_t { PluginData = 1, DataClass = 4 };
}
namespace plugin {
enum : std::uint32_t { Name = 1 };
}
namespace session {
enum : std::uint32_t { Status = 1 };
}
namespace source {
enum : std::uint32_t { Writer = 1 };
}

constexpr std::uint64_t kFloatType = 1, kDoubleType = 2, kStringType = 7;
constexpr std::uint64_t kSessionStart = 1, kTensorClass = 2;
constexpr std::string_view kFileVersion = "brain.Event:2";

template <typename Real>
std::optional<float> realAt(std::string_view bytes) {
  Real number = 0;
  if (bytes.size() < sizeof number) return std::nullopt;
  std::memcpy(&number, bytes.data(), sizeof number);
  return static_cast<float>(number);
}

bool isScalarShape(std::string_view bytes) {
  WireReader fields(bytes);
  while (fields.next()) {
    if (fields.is(shape::Dimension, WireType::Bytes)) return false;
    if (fields.is(shape::UnknownRank, WireType::Varint) && fields.bits() != 0) return false;
  }
  return !fields.failed();
}

/// A tensor of one number or text.
struct TensorContent {
  std::optional<float> number;
  std::optional<std::string_view> text;
};

TensorContent parseTensor(std::string_view bytes) {
  std::uint64_t type = 0;
  bool isScalar = true;
  std::optional<float> floatVal, doubleVal;
  std::string_view content;
  TensorContent result;
  WireReader fields(bytes);
  while (fields.next()) {
    if (fields.is(tensor::Type, WireType::Varint)) type = fields.bits();
    if (fields.is(tensor::Shape, WireType::Bytes)) isScalar = isScalarShape(fields.bytes());
    if (fields.is(tensor::Content, WireType::Bytes)) content = fields.bytes();
    // Repeated numbers are packed by today's writers and one by one by old ones.
    if (fields.is(tensor::FloatVal, WireType::Bytes)) floatVal = realAt<float>(fields.bytes());
    if (fields.is(tensor::FloatVal, WireType::Fixed32)) floatVal = fields.asFloat();
    if (fields.is(tensor::DoubleVal, WireType::Bytes)) doubleVal = realAt<double>(fields.bytes());
    if (fields.is(tensor::DoubleVal, WireType::Fixed64)) {
      doubleVal = static_cast<float>(fields.asDouble());
    }
    if (fields.is(tensor::StringVal, WireType::Bytes) && !result.text) result.text = fields.bytes();
  }
  if (fields.failed()) return {};
  if (type != kStringType) result.text.reset();
  if (!isScalar) return result;
  if (type == kFloatType) result.number = floatVal ? floatVal : realAt<float>(content);
  if (type == kDoubleType) result.number = doubleVal ? doubleVal : realAt<double>(content);
  return result;
}

bool parseValue(std::string_view bytes, EventMessage& message) {
  std::string_view tag;
  std::optional<float> number;
  std::optional<std::string_view> tensorBytes;
  WireReader fields(bytes);
  while (fields.next()) {
    if (fields.is(value::Tag, WireType::Bytes)) tag = fields.bytes();
    if (fields.is(value::SimpleValue, WireType::Fixed32)) number = fields.asFloat();
    if (fields.is(value::Tensor, WireType::Bytes)) tensorBytes = fields.bytes();
  }
  if (fields.failed()) return false;
  if (tensorBytes && !number) {
    const TensorContent content = parseTensor(*tensorBytes);
    number = content.number;
    if (content.text && tag == kEventTag) message.json = *content.text;
    if (content.text && tag == kEventTag && !number) message.kind = Record::Kind::Event;
  }
  if (number) message.scalars.emplace_back(tag, *number);
  return true;
}

bool parseSummary(std::string_view bytes, EventMessage& message) {
  WireReader fields(bytes);
  while (fields.next()) {
    if (fields.is(summary::Value, WireType::Bytes) && !parseValue(fields.bytes(), message)) {
      return false;
    }
  }
  if (!message.scalars.empty()) message.kind = Record::Kind::Scalars;
  return !fields.failed();
}

bool isSessionStart(std::string_view bytes) {
  WireReader fields(bytes);
  std::uint64_t status = 0;
  while (fields.next()) {
    if (fields.is(session::Status, WireType::Varint)) status = fields.bits();
  }
  return !fields.failed() && status == kSessionStart;
}

std::string summaryOfScalars(const ScalarValues& scalars) {
  std::string result, one;
  for (const auto& [tag, number] : scalars) {
    one.clear();
    WireWriter fields(one);
    fields.bytes(value::Tag, tag);
    fields.fixed32(value::SimpleValue, number);
    WireWriter(result).bytes(summary::Value, one);
  }
  return result;
}

/// A text as TensorBoard's text plugin shows it. The metadata stands in every record, since a
/// resume may cut the first.
std::string summaryOfText(std::string_view tag, std::string_view text) {
  std::string pluginName, pluginData, one, result, tensorBytes;
  WireWriter(pluginName).bytes(plugin::Name, "text");
  WireWriter pluginFields(pluginData);
  pluginFields.bytes(metadata::PluginData, pluginName);
  pluginFields.varint(metadata::DataClass, kTensorClass);
  WireWriter tensorFields(tensorBytes);
  tensorFields.varint(tensor::Type, kStringType);
  tensorFields.bytes(tensor::Shape, {});
  tensorFields.bytes(tensor::StringVal, text);
  WireWriter fields(one);
  fields.bytes(value::Tag, tag);
  fields.bytes(value::Tensor, tensorBytes);
  fields.bytes(value::Metadata, pluginData);
  WireWriter(result).bytes(summary::Value, one);
  return result;
}

}  // namespace

bool parseEvent(std::string_view bytes, EventMessage& message) {
  message.wallTime = 0;
  message.step = 0;
  message.kind = Record::Kind::Other;
  message.scalars.clear();
  message.json = {};
  WireReader fields(bytes);
  while (fields.next()) {
    if (fields.is(event::WallTime, WireType::Fixed64)) message.wallTime = fields.asDouble();
    if (fields.is(event::Step, WireType::Varint)) {
      message.step = static_cast<std::int64_t>(fields.bits());
    }
    if (fields.is(event::FileVersion, WireType::Bytes)) message.kind = Record::Kind::FileVersion;
    if (fields.is(event::SessionLog, WireType::Bytes) && isSessionStart(fields.bytes())) {
      message.kind = Record::Kind::SessionStart;
    }
    if (fields.is(event::Summary, WireType::Bytes) && !parseSummary(fields.bytes(), message)) {
      return false;
    }
  }
  return !fields.failed() && !std::isnan(message.wallTime);
}

std::string serialiseEvent(const Record& record) {
  std::string bytes, inner;
  WireWriter fields(bytes);
  // As protobuf's own writers: in the order of the numbers, zeros left out.
  if (record.wallTime != 0) fields.fixed64(event::WallTime, record.wallTime);
  if (record.step != 0) fields.varint(event::Step, static_cast<std::uint64_t>(record.step));
  switch (record.kind) {
    case Record::Kind::FileVersion:
      fields.bytes(event::FileVersion, kFileVersion);
      WireWriter(inner).bytes(source::Writer, "lockstep");
      fields.bytes(event::Source, inner);
      break;
    case Record::Kind::Scalars:
      fields.bytes(event::Summary, summaryOfScalars(record.scalars));
      break;
    case Record::Kind::Event:
      fields.bytes(event::Summary, summaryOfText(kEventTag, record.json));
      break;
    case Record::Kind::SessionStart:
      WireWriter(inner).varint(session::Status, kSessionStart);
      fields.bytes(event::SessionLog, inner);
      break;
    case Record::Kind::Other:
      break;
  }
  return bytes;
}

}  // namespace lockstep::events
