#include "engine/serve/label_studio.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>

#include "engine/base/shortened_text.h"
#include "engine/coco/files/results.h"
#include "engine/formats/label_studio_brush.h"

namespace lockstep::serve {
namespace {

using nlohmann::json;

std::string versionOf(std::int64_t step) {
  return step > 0 ? "step-" + std::to_string(step) : "lockstep";
}

/// The control of a labelling configuration that detections are of.
struct LabelControl {
  enum class Kind { Brush, Polygon, Rectangle } kind = Kind::Rectangle;
  std::string from, to;
  std::string imageKey;          ///< of a task's data
  std::set<std::string> labels;  ///< that it offers

  const char* type() const {
    return kind == Kind::Brush     ? "brushlabels"
           : kind == Kind::Polygon ? "polygonlabels"
                                   : "rectanglelabels";
  }
};

pugi::xml_node imageNamed(const pugi::xml_document& document, const std::string& name) {
  for (const pugi::xpath_node& each : document.select_nodes("//Image"))
    if (each.node().attribute("name").value() == name) return each.node();
  return {};
}

LabelControl controlOf(const std::string& config, bool hasMasks) {
  pugi::xml_document document;
  if (!document.load_string(config.c_str())) throw HttpError{400, "label_config: is not XML"};
  LabelControl control;
  const auto first = [&](const char* tag) { return document.select_node(tag).node(); };
  const pugi::xml_node brush = first("//BrushLabels"), polygon = first("//PolygonLabels"),
                       rectangle = first("//RectangleLabels");
  pugi::xml_node chosen = rectangle;
  if (hasMasks && brush) {
    control.kind = LabelControl::Kind::Brush;
    chosen = brush;
  } else if (hasMasks && polygon) {
    control.kind = LabelControl::Kind::Polygon;
    chosen = polygon;
  }
  control.from = chosen.attribute("name").value();
  control.to = chosen.attribute("toName").value();
  const pugi::xml_node image = imageNamed(document, control.to);
  if (!chosen || !image)
    throw HttpError{400,
                    "label_config: needs an Image, and BrushLabels, PolygonLabels or "
                    "RectangleLabels whose toName is the Image's name"};
  control.imageKey = image.attribute("value").value();
  if (control.imageKey.starts_with('$')) control.imageKey.erase(0, 1);
  for (const pugi::xml_node& label : chosen.children("Label"))
    control.labels.insert(label.attribute("value").value());
  return control;
}

/// The escaped name of a file that Label Studio serves itself: `/data/local-files/?d=plates/a.png`,
/// `/data/upload/1/a.png`, also below a host and a prefix; nullopt: it is another address.
std::optional<std::string> fileOfAddress(const std::string& address) {
  for (const std::string_view path :
       {"/data/local-files/?d=", "/data/local-files?d=", "/data/upload/"})
    if (const std::size_t at = address.find(path); at != std::string::npos)
      return address.substr(at + path.size());
  return std::nullopt;
}

/// Releases of Label Studio differ in whether a `+` stands for a space, and on Windows it writes
/// backslashes.
std::string otherSpelling(std::string escaped) {
  std::ranges::replace(escaped, '+', ' ');
  std::string name = unescaped(escaped);
  std::ranges::replace(name, '\\', '/');
  return name;
}

ImageInput imageOfAddress(const std::string& address, const RequestRules& rules) {
  const auto escaped = fileOfAddress(address);
  const bool isUrl = address.find("://") != std::string::npos && (rules.allowsUrls || !escaped);
  if (isUrl || address.starts_with("data:")) return imageOfMember("url", address, rules);
  if (!escaped)
    throw HttpError{400, "'" + base::shortened(address) +
                             "' is not a file of Label Studio (/data/local-files/?d=…, "
                             "/data/upload/…) and no URL"};
  ImageInput image = imageOfMember("file", unescaped(*escaped), rules);
  image.otherFile = otherSpelling(*escaped);
  return image;
}

json resultOf(const LabelControl& control, const DetectionAnswer& answer, double score) {
  return {{"from_name", control.from},
          {"to_name", control.to},
          {"type", control.type()},
          {"original_width", answer.width},
          {"original_height", answer.height},
          {"image_rotation", 0},
          {"score", score}};
}

/// Outlines without their holes, in percent of the image's sides.
void addPolygons(const coco::Detection& found, const std::string& name, const LabelControl& control,
                 const DetectionAnswer& answer, json& results) {
  for (const auto& contour : coco::contours(found.mask)) {
    double twiceArea = 0;
    json points = json::array();
    for (std::size_t i = 0; i < contour.size(); ++i) {
      const auto& [x, y] = contour[i];
      const auto& [nextX, nextY] = contour[(i + 1) % contour.size()];
      twiceArea += x * nextY - nextX * y;
      points.push_back({100 * x / answer.width, 100 * y / answer.height});
    }
    if (twiceArea <= 0) continue;  // a hole
    json result = resultOf(control, answer, found.score);
    result["value"] = {{"points", std::move(points)}, {"closed", true}, {control.type(), {name}}};
    results.push_back(std::move(result));
  }
}

void addResults(const coco::Detection& found, const std::string& name, const LabelControl& control,
                const DetectionAnswer& answer, json& results) {
  if (control.kind == LabelControl::Kind::Polygon)
    return addPolygons(found, name, control, answer, results);
  json result = resultOf(control, answer, found.score);
  if (control.kind == LabelControl::Kind::Brush) {
    result["value"] = {{"format", "rle"},
                       {"rle", formats::labelStudioBrush(found.mask)},
                       {control.type(), {name}}};
  } else {
    const auto& [x, y, width, height] = found.boxXywh;
    result["value"] = {{"x", 100 * x / answer.width},
                       {"y", 100 * y / answer.height},
                       {"width", 100 * width / answer.width},
                       {"height", 100 * height / answer.height},
                       {"rotation", 0},
                       {control.type(), {name}}};
  }
  results.push_back(std::move(result));
}

json predictionOf(const DetectionAnswer& answer, const LabelControl& control,
                  const ServedModel& model) {
  json results = json::array();
  double sum = 0;
  std::int64_t count = 0;
  for (const coco::Detection& found : coco::parseDetections(answer.content, "the answer")) {
    const std::string name = model.categoryName(found.categoryId.value);
    if (!control.labels.empty() && !control.labels.contains(name)) continue;
    addResults(found, name, control, answer, results);
    sum += found.score;
    ++count;
  }
  return {{"model_version", versionOf(answer.weights->step())},
          {"score", count > 0 ? sum / static_cast<double>(count) : 0.0},
          {"result", std::move(results)}};
}

}  // namespace

HttpResponse labelStudioAnswer(Endpoint endpoint, std::int64_t step) {
  if (endpoint == Endpoint::Setup)
    return {.body = json{{"model_version", versionOf(step)}}.dump() + "\n"};
  return {.body = "{\"status\": \"UP\", \"model_class\": \"lockstep\"}\n"};
}

DetectionRequest labelStudioPrediction(const HttpRequest& request, const RequestRules& rules) {
  const json document = documentOf(request.body);
  const auto tasks = document.find("tasks");
  if (tasks == document.end() || !tasks->is_array() || tasks->empty())
    throw HttpError{400, "tasks: must be a list of tasks"};
  const json config = document.value("label_config", json());
  if (!config.is_string())
    throw HttpError{400, "label_config: must be the labelling configuration"};
  const LabelControl control = controlOf(config.get<std::string>(), rules.model.hasMasks);
  DetectionRequest asked;
  for (const json& task : *tasks) {
    const json data = task.is_object() ? task.value("data", json()) : json();
    const json address = data.is_object() ? data.value(control.imageKey, json()) : json();
    if (!address.is_string())
      throw HttpError{400, "tasks: a task has no data." + base::shortened(control.imageKey)};
    addImage(asked, imageOfAddress(address.get<std::string>(), rules), rules);
  }
  asked.isSlowToRespond = true;
  asked.respond = [control, model = rules.model](const std::vector<DetectionAnswer>& answers) {
    json results = json::array();
    for (const DetectionAnswer& answer : answers)
      results.push_back(predictionOf(answer, control, model));
    return HttpResponse{.body = json{{"results", std::move(results)}}.dump() + "\n"};
  };
  return asked;
}

}  // namespace lockstep::serve
