#include "engine/protocol/members.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

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

[[noreturn]] void refuse(const nlohmann::json& value, const std::string& name,
                         const char* expected) {
  throw Error(name + " must be " + expected + ", not " + kindOf(value));
}

}  // namespace

MemberReader MemberReader::parse(std::string_view text, std::string where) {
  auto object = std::make_shared<const nlohmann::json>(parseObject(text, where));
  return {std::move(object), std::move(where)};
}

const nlohmann::json* MemberReader::find(const char* name) const {
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

bool MemberReader::isNull(const nlohmann::json& value) { return value.is_null(); }

void MemberReader::requireObject(const nlohmann::json& value, const std::string& name) {
  if (!value.is_object()) refuse(value, name, "an object");
}

std::size_t MemberReader::sizeOfList(const nlohmann::json& value, const std::string& name) {
  if (!value.is_array()) refuse(value, name, "a list");
  return value.size();
}

const nlohmann::json& MemberReader::elementOf(const nlohmann::json& list, std::size_t index) {
  return list[index];
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
  const nlohmann::json* found = members.find("id");
  if (found == nullptr) throw Error(members.where() + ": id is missing");
  if (auto id = parseId(*found)) return *std::move(id);
  throw Error(members.where() + ": id must be an integer or a string of 1 to " +
              std::to_string(kMaxIdBytes) + " bytes");
}

std::string readIdOrNull(const MemberReader& members) {
  const nlohmann::json* found = members.find("id");
  return found != nullptr && found->is_null() ? std::string() : readId(members);
}

std::string idOf(const MemberReader& members) {
  const nlohmann::json* found = members.find("id");
  return found == nullptr ? std::string() : parseId(*found).value_or(std::string());
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
  const nlohmann::json* image = members.find("image");
  if (image != nullptr && image->is_string()) {
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
  auto object = std::make_shared<const nlohmann::json>(parseObject(line, "message"));
  const MemberReader members(*object, "message");
  const nlohmann::json* version = members.find("v");
  if (version == nullptr) throw VersionMismatch("message: v is missing");
  if (integerOf(*version) != kVersion) {
    throw VersionMismatch("message: protocol version " + base::shortened(version->dump()) +
                          " is not supported; expected " + std::to_string(kVersion));
  }
  std::string type;
  members("type", type);
  return {MemberReader(std::move(object), type), type};
}

void beginLine(base::JsonWriter& json, const char* type) {
  json.beginObject();
  json.key("v");
  json.value(kVersion);
  json.key("type");
  json.value(type);
}

}  // namespace lockstep::protocol
