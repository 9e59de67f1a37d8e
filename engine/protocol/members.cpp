#include "engine/protocol/members.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace lockstep::protocol {
namespace {

/// The internal form of an id; nullopt when it is not a valid id.
std::optional<std::string> parseId(const nlohmann::json& value) {
  if (const auto number = integerOf(value)) return kIntegerIdMark + std::to_string(*number);
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  if (text.empty() || text.size() > kMaxIdBytes || text[0] == kIntegerIdMark) return std::nullopt;
  return text;
}

bool isIntegerId(const std::string& id) {
  if (id.size() < 2 || id[0] != kIntegerIdMark) return false;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(id.data() + 1, id.data() + id.size(), number);
  return error == std::errc() && end == id.data() + id.size();
}

}  // namespace

void MemberReader::refuse(const nlohmann::json& value, const std::string& name,
                          const char* expected) {
  throw Error(name + " must be " + expected + ", not " + kindOf(value));
}

void MemberReader::read(const nlohmann::json& value, const std::string& name, bool& flag) {
  if (!value.is_boolean()) refuse(value, name, "a boolean");
  flag = value.get<bool>();
}

void MemberReader::read(const nlohmann::json& value, const std::string& name,
                        std::int64_t& number) {
  const auto integer = integerOf(value);
  if (!integer) {
    if (value.is_number()) throw Error(name + " must be a 64-bit integer");
    refuse(value, name, "an integer");
  }
  number = *integer;
}

void MemberReader::read(const nlohmann::json& value, const std::string& name, int& number) {
  std::int64_t wide = 0;
  read(value, name, wide);
  if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max()) {
    throw Error(name + " must be a 32-bit integer");
  }
  number = static_cast<int>(wide);
}

void MemberReader::read(const nlohmann::json& value, const std::string& name, double& number) {
  const auto real = numberOf(value);
  if (!real) refuse(value, name, "a number or \"NaN\", \"Infinity\", \"-Infinity\"");
  number = *real;
}

void MemberReader::read(const nlohmann::json& value, const std::string& name, std::string& text) {
  if (!value.is_string()) refuse(value, name, "a string");
  text = value.get_ref<const std::string&>();
}

void MemberReader::read(const nlohmann::json& value, const std::string& name,
                        TaggedValues& values) {
  if (!value.is_object()) refuse(value, name, "an object");
  values.clear();
  values.reserve(value.size());
  for (const auto& [tag, element] : value.items()) {
    double number = 0;
    read(element, name + ": " + base::shortened(tag), number);
    values.emplace_back(tag, static_cast<float>(number));
  }
}

void writeId(MemberWriter& members, const std::string& id) {
  members.json().key("id");
  if (id.empty()) {
    members.json().null();
  } else if (isIntegerId(id)) {
    members.json().raw(std::string_view(id).substr(1));
  } else {
    members.json().value(std::string_view(id));
  }
}

std::string readId(const MemberReader& members) {
  const auto found = members.object().find("id");
  if (found == members.object().end()) throw Error(members.where() + ": id is missing");
  if (auto id = parseId(*found)) return *std::move(id);
  throw Error(members.where() + ": id must be an integer or a string of 1 to " +
              std::to_string(kMaxIdBytes) + " bytes");
}

std::string idOf(const nlohmann::json& object) {
  const auto found = object.find("id");
  if (found == object.end()) return {};
  return parseId(*found).value_or(std::string());
}

void describeImages(MemberWriter& members, const PredictRequest& request) {
  members.ifNotEmpty("image_ids", request.imageIds);
  members.ifNotEmpty("paths", request.paths);
  members.ifNotEmpty("split", request.split);
  members.ifNotEmpty("weights", request.weights);
  members("score_threshold", request.scoreThreshold);
}

void describeImages(const MemberReader& members, PredictRequest& request) {
  members.ifNotEmpty("image_ids", request.imageIds);
  members.ifNotEmpty("paths", request.paths);
  members.ifNotEmpty("split", request.split);
  members.ifNotEmpty("weights", request.weights);
  if (members.has("score_threshold")) members("score_threshold", request.scoreThreshold);
  const int given = (request.imageIds.empty() ? 0 : 1) + (request.paths.empty() ? 0 : 1) +
                    (request.split ? 1 : 0);
  if (given != 1)
    throw Error(members.where() + ": exactly one of image_ids, paths and split is required");
  if (!(request.scoreThreshold >= 0 && request.scoreThreshold <= 1)) {
    throw Error(members.where() + ": score_threshold must be between 0 and 1");
  }
}

void describeImage(MemberWriter& members, const ExplainRequest& request) {
  if (request.imageId) {
    members("image", *request.imageId);
    members("split", request.split);
  } else {
    members("image", request.path);
  }
  members.ifNotEmpty("weights", request.weights);
}

void describeImage(const MemberReader& members, ExplainRequest& request) {
  const auto image = members.object().find("image");
  if (image != members.object().end() && image->is_string()) {
    members("image", request.path);
    if (members.has("split"))
      throw Error(members.where() + ": split is of an image id; leave it out with a path");
  } else {
    members("image", request.imageId.emplace());
    members.orDefault("split", request.split);
  }
  members.ifNotEmpty("weights", request.weights);
}

Envelope openEnvelope(std::string_view line) {
  Envelope envelope{parseObject(line, "message"), {}};
  const auto version = envelope.object.find("v");
  if (version == envelope.object.end()) throw VersionMismatch("message: v is missing");
  if (integerOf(*version) != kVersion) {
    throw VersionMismatch("message: protocol version " + base::shortened(version->dump()) +
                          " is not supported; expected " + std::to_string(kVersion));
  }
  MemberReader members(envelope.object, "message");
  members("type", envelope.type);
  return envelope;
}

void beginLine(base::JsonWriter& json, const char* type) {
  json.beginObject();
  json.key("v");
  json.value(kVersion);
  json.key("type");
  json.value(type);
}

}  // namespace lockstep::protocol
