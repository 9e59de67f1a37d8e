#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/config/documentation.h"
#include "engine/config/fields.h"

namespace lockstep::config {
namespace {

using Json = nlohmann::ordered_json;

void addRange(Json& schema, const Field& field) {
  const auto number = [](double value) {
    return value == std::floor(value) && std::abs(value) < 0x1p53
               ? Json(static_cast<std::int64_t>(value))
               : Json(value);
  };
  if (std::isfinite(field.minimum)) {
    schema[field.minimumExcluded ? "exclusiveMinimum" : "minimum"] = number(field.minimum);
  }
  if (std::isfinite(field.maximum)) {
    schema[field.maximumExcluded ? "exclusiveMaximum" : "maximum"] = number(field.maximum);
  }
}

Json numberSchema(const Field& field, const char* type) {
  Json schema{{"type", type}};
  addRange(schema, field);
  return schema;
}

Json durationSchema(const Field& field) {
  Json text{{"type", "string"}, {"pattern", "^[0-9.eE+-]+ *(steps?|epochs?|images?)?$"}};
  return {{"anyOf", {numberSchema(field, "integer"), text}}};
}

Json itemSchema(const Field& field) {
  switch (field.type) {
    case FieldType::Bool:
      return {{"type", "boolean"}};
    case FieldType::Integer:
    case FieldType::IntegerList:
      return numberSchema(field, "integer");
    case FieldType::Number:
    case FieldType::NumberList:
      return numberSchema(field, "number");
    case FieldType::LevelList:
      return {
          {"anyOf",
           {numberSchema(field, "number"), {{"type", "string"}, {"pattern", "^[0-9.eE+-]+ *%$"}}}}};
    case FieldType::Text:
    case FieldType::TextList:
    case FieldType::Path:
      return {{"type", "string"}, {"minLength", 1}};
    case FieldType::Choice:
      if (field.otherChoices.empty()) return {{"enum", field.choices}};
      return {{"anyOf",
               {{{"enum", field.choices}},
                {{"type", "string"}, {"pattern", "^" + field.otherChoices + "$"}}}}};
    case FieldType::Duration:
    case FieldType::DurationList:
      return durationSchema(field);
    case FieldType::Bytes:
      return {{"anyOf",
               {numberSchema(field, "integer"),
                {{"type", "string"}, {"pattern", "^[0-9.eE+-]+ *([KMGT]iB|B)?$"}}}}};
  }
  return Json::object();
}

/// The default as JSON. YAML's flow form of numbers, booleans and their lists is valid JSON; all
/// else is a string.
Json defaultValue(const Field& field) {
  const std::string text = field.defaultText();
  Json value = Json::parse(text, nullptr, false);
  if (!value.is_discarded()) return value;
  return text.size() > 1 && text.front() == '\'' ? text.substr(1, text.size() - 2) : text;
}

Json fieldSchema(const Field& field) {
  Json schema = itemSchema(field);
  if (isList(field.type)) {
    schema = {{"type", "array"}, {"items", schema}};
    if (field.listSize >= 0) schema["maxItems"] = field.listSize;
    if (!field.mayBeEmpty) schema["minItems"] = field.listSize >= 0 ? field.listSize : 1;
  }
  if (field.type != FieldType::Choice && !field.choices.empty()) {
    schema = {{"anyOf", {schema, {{"enum", field.choices}}}}};
  }
  if (field.nullable) schema = {{"anyOf", {schema, {{"type", "null"}}}}};
  std::string description = field.help;
  if (!field.unit.empty()) description += " (" + field.unit + ")";
  if (const std::string notImplemented = field.notImplementedText(); !notImplemented.empty())
    description += " " + notImplemented;
  schema["description"] = description;
  schema["default"] = defaultValue(field);
  if (!field.isImplemented) schema["const"] = schema["default"];
  return schema;
}

Json& sectionSchema(Json& root, const std::string& section) {
  Json* schema = &root;
  for (std::size_t begin = 0; begin < section.size();) {
    const std::size_t end = std::min(section.find('.', begin), section.size());
    Json& child = (*schema)["properties"][section.substr(begin, end - begin)];
    if (child.is_null()) {
      child = {{"type", Json::array({"object", "null"})},
               {"description", sectionHelp(section.substr(0, end))},
               {"additionalProperties", false},
               {"properties", Json::object()}};
    }
    schema = &child;
    begin = end + 1;
  }
  return *schema;
}

}  // namespace

std::string jsonSchema() {
  Json root{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
            {"title", "Lockstep experiment"},
            {"type", "object"},
            {"additionalProperties", false},
            {"properties", Json::object()}};
  for (const Field& field : fields()) {
    const std::size_t dot = field.key.rfind('.');
    const std::string section = dot == std::string::npos ? "" : field.key.substr(0, dot);
    sectionSchema(root, section)["properties"][field.key.substr(dot + 1)] = fieldSchema(field);
  }
  return root.dump(2) + "\n";
}

}  // namespace lockstep::config
