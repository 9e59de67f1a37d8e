#include "engine/serve/open_inference.h"

#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/base/shortened_text.h"

namespace lockstep::serve {
namespace {

using nlohmann::json;

constexpr const char* kHeaderLength = "inference-header-content-length";

/// An output: its elements in JSON and as bytes, both in the order of the detections.
struct Tensor {
  const char* name;
  const char* type;
  std::vector<std::int64_t> shape;
  json data = json::array();
  std::string bytes{};

  template <typename Number>
  void add(Number value) {
    data.push_back(value);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);  // little-endian
  }
  void addText(const std::string& text) {
    const auto length = static_cast<std::uint32_t>(text.size());
    data.push_back(text);
    bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
    bytes += text;
  }
};

json described(const char* name, const char* type, std::vector<std::int64_t> shape) {
  return {{"name", name}, {"datatype", type}, {"shape", std::move(shape)}};
}

json outputsOfModel(const ServedModel& model) {
  json outputs{described("image_index", "INT64", {-1}), described("boxes", "FP32", {-1, 4}),
               described("scores", "FP32", {-1}), described("class_ids", "INT64", {-1}),
               described("class_names", "BYTES", {-1})};
  if (model.hasMasks) outputs.push_back(described("masks", "BYTES", {-1}));
  return outputs;
}

/// boxes: x, y, width, height in px; masks: COCO's compressed RLE as JSON.
std::vector<Tensor> tensorsOf(const std::vector<DetectionAnswer>& answers,
                              const ServedModel& model) {
  Tensor index{"image_index", "INT64", {}}, boxes{"boxes", "FP32", {}},
      scores{"scores", "FP32", {}}, ids{"class_ids", "INT64", {}},
      names{"class_names", "BYTES", {}}, masks{"masks", "BYTES", {}};
  for (std::size_t i = 0; i < answers.size(); ++i)
    for (const json& each : json::parse(answers[i].content)) {
      index.add(static_cast<std::int64_t>(i));
      for (const json& side : each.at("bbox")) boxes.add(side.get<float>());
      scores.add(each.at("score").get<float>());
      ids.add(each.at("category_id").get<std::int64_t>());
      names.addText(model.categoryName(each.at("category_id").get<std::int64_t>()));
      if (model.hasMasks) masks.addText(each.at("segmentation").dump());
    }
  const auto count = static_cast<std::int64_t>(scores.data.size());
  std::vector<Tensor> all{std::move(index), std::move(boxes), std::move(scores), std::move(ids),
                          std::move(names)};
  if (model.hasMasks) all.push_back(std::move(masks));
  for (Tensor& each : all) each.shape = {count};
  all[1].shape = {count, 4};
  return all;
}

/// The elements of a binary BYTES tensor.
void takeBinary(std::string_view bytes, const RequestRules& rules, DetectionRequest& asked) {
  while (!bytes.empty()) {
    std::uint32_t length = 0;
    if (bytes.size() < sizeof length) throw HttpError{400, "inputs: the binary data are truncated"};
    std::memcpy(&length, bytes.data(), sizeof length);
    bytes.remove_prefix(sizeof length);
    if (bytes.size() < length) throw HttpError{400, "inputs: the binary data are truncated"};
    addImage(asked, {.content = std::string(bytes.substr(0, length))}, rules);
    bytes.remove_prefix(length);
  }
}

/// JSON can hold no bytes: base64.
void takeTexts(const json& data, const RequestRules& rules, DetectionRequest& asked) {
  for (const json& each : data) {
    if (each.is_array()) {
      takeTexts(each, rules, asked);
      continue;
    }
    if (!each.is_string()) throw HttpError{400, "inputs: the data of BYTES must be strings"};
    addImage(asked, {.content = decodedImage(each.get<std::string>(), "inputs")}, rules);
  }
}

/// A member of "parameters"; null: it is not there.
json parameterOf(const json& object, const char* name) {
  const auto parameters = object.find("parameters");
  if (parameters == object.end() || !parameters->is_object()) return nullptr;
  return parameters->value(name, json());
}

void takeInput(const json& document, std::string_view binary, const RequestRules& rules,
               DetectionRequest& asked) {
  const auto inputs = document.find("inputs");
  if (inputs == document.end() || !inputs->is_array() || inputs->size() != 1 ||
      !inputs->front().is_object())
    throw HttpError{400, "inputs: must be one tensor of encoded images, BYTES [n]"};
  const json& input = inputs->front();
  if (input.value("datatype", json()) != "BYTES")
    throw HttpError{400, "inputs: the datatype must be BYTES: each element is an image file"};
  if (const json size = parameterOf(input, "binary_data_size"); size.is_number_integer()) {
    if (size.get<std::int64_t>() != static_cast<std::int64_t>(binary.size()))
      throw HttpError{400, "inputs: binary_data_size is not the size of what follows"};
    takeBinary(binary, rules, asked);
  } else if (const auto data = input.find("data"); data != input.end() && data->is_array()) {
    takeTexts(*data, rules, asked);
  }
  if (asked.images.empty()) throw HttpError{400, "inputs: the tensor has no image"};
  const auto shape = input.find("shape");
  if (shape != input.end() && *shape != json::array({asked.images.size()}))
    throw HttpError{400, "inputs: the shape must be [" + std::to_string(asked.images.size()) +
                             "], the number of images of the tensor"};
}

/// The document, and the binary data behind it.
std::pair<json, std::string_view> partsOf(const HttpRequest& request) {
  std::size_t length = request.body.size();
  if (const std::string_view given = request.header(kHeaderLength); !given.empty()) {
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), length);
    if (error != std::errc() || end != given.data() + given.size() || length > request.body.size())
      throw HttpError{400, "Inference-Header-Content-Length: is not a length within the body"};
  }
  const std::string_view body = request.body;
  return {documentOf(body.substr(0, length)), body.substr(length)};
}

struct AskedOutput {
  std::string name;
  bool isBinary = false;
};

std::vector<AskedOutput> askedOutputs(const json& document, const ServedModel& model) {
  const json all = outputsOfModel(model);
  const json inBinary = parameterOf(document, "binary_data_output");
  const bool isBinary = inBinary.is_boolean() && inBinary.get<bool>();
  std::vector<AskedOutput> asked;
  const auto outputs = document.find("outputs");
  if (outputs == document.end() || !outputs->is_array() || outputs->empty()) {
    for (const json& each : all) asked.push_back({each.at("name"), isBinary});
    return asked;
  }
  for (const json& output : *outputs) {
    const json given = output.is_object() ? output.value("name", json()) : json();
    const std::string name = given.is_string() ? given.get<std::string>() : "";
    const auto isIt = [&](const json& each) { return each.at("name") == name; };
    if (std::ranges::none_of(all, isIt))
      throw HttpError{400, "outputs: the model has no output '" + base::shortened(name) + "'"};
    const json own = parameterOf(output, "binary_data");
    asked.push_back({name, own.is_boolean() ? own.get<bool>() : isBinary});
  }
  return asked;
}

HttpResponse responseOf(const std::vector<Tensor>& tensors, const std::vector<AskedOutput>& asked,
                        const std::string& model, const json& id, std::int64_t step) {
  json document{{"model_name", model}, {"model_version", std::to_string(step)}};
  if (id.is_string()) document["id"] = id;
  document["outputs"] = json::array();
  std::string binary;
  for (const AskedOutput& output : asked) {
    const Tensor& tensor = *std::ranges::find_if(
        tensors, [&](const Tensor& each) { return each.name == output.name; });
    json described{{"name", tensor.name}, {"datatype", tensor.type}, {"shape", tensor.shape}};
    if (output.isBinary) {
      described["parameters"] = {{"binary_data_size", tensor.bytes.size()}};
      binary += tensor.bytes;
    } else {
      described["data"] = tensor.data;
    }
    document["outputs"].push_back(std::move(described));
  }
  HttpResponse response{.body = document.dump()};
  if (binary.empty()) return response;
  response.type = "application/octet-stream";
  response.headers.emplace_back("Inference-Header-Content-Length",
                                std::to_string(response.body.size()));
  response.body += binary;
  return response;
}

}  // namespace

HttpResponse openInferenceAnswer(const MatchedRoute& asked, const ServedModel& model, bool isReady,
                                 std::int64_t step) {
  requireVersion(asked.version, step);
  switch (asked.route->endpoint) {
    case Endpoint::ServerLive:
      return {.body = "{\"live\": true}\n"};
    case Endpoint::ServerReady:
    case Endpoint::ModelReady:
      if (isReady) return {.body = "{\"ready\": true}\n"};
      return {.status = 503, .body = "{\"ready\": false}\n"};
    case Endpoint::ModelMetadata: {
      const json metadata{{"name", model.name},
                          {"versions", {std::to_string(step)}},
                          {"platform", "lockstep_mask_rcnn"},
                          {"inputs", {described("image", "BYTES", {-1})}},
                          {"outputs", outputsOfModel(model)}};
      return {.body = metadata.dump() + "\n"};
    }
    default: {
      const json server{{"name", "lockstep"},
                        {"version", LOCKSTEP_VERSION},
                        {"extensions", {"binary_tensor_data"}}};
      return {.body = server.dump() + "\n"};
    }
  }
}

DetectionRequest openInference(const HttpRequest& request, const RequestRules& rules) {
  const auto [document, binary] = partsOf(request);
  DetectionRequest asked;
  takeInput(document, binary, rules, asked);
  if (const json score = parameterOf(document, "score"); !score.is_null())
    asked.scoreThreshold = scoreOf(score.dump());
  if (const json classes = parameterOf(document, "classes"); classes.is_string())
    asked.categoryIds = rules.model.categoryIds(classes.get<std::string>());
  else if (!classes.is_null())
    asked.categoryIds =
        categoryIdsOf(classes.is_array() ? classes : json::array({classes}), rules.model);
  asked.isSlowToRespond = true;
  asked.respond = [outputs = askedOutputs(document, rules.model), model = rules.model,
                   id = document.value("id", json())](const std::vector<DetectionAnswer>& answers) {
    return responseOf(tensorsOf(answers, model), outputs, model.name, id,
                      answers[0].weights->step());
  };
  return asked;
}

}  // namespace lockstep::serve
