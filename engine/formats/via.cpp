// VGG Image Annotator's JSON, versions 1 and 2: a project or an export of its annotations.

#include "engine/base/error.h"
#include "engine/formats/json_node.h"
#include "engine/formats/outlines.h"
#include "engine/formats/reading.h"

namespace lockstep::formats {
namespace {

/// The attribute that names the class, in the order in which it is looked for.
constexpr const char* kClassAttributes[] = {"class", "label", "name", "category", "type", "object"};

/// A text, or the only chosen one of checkboxes, {"cat": true}.
std::optional<std::string> choiceIn(const JsonNode& value) {
  if (value.isString())
    return value.string().empty() ? std::nullopt : std::optional(value.string());
  std::optional<std::string> chosen;
  if (value.isObject())
    value.forEachMember([&](std::string_view key, const JsonNode& isChosen) {
      if (isChosen.isTrue()) chosen = std::string(key);
    });
  return chosen;
}

/// "object" if the regions have no attributes.
std::string categoryOfRegion(const JsonNode& region) {
  const auto attributes = region.find("region_attributes");
  if (!attributes) return "object";
  for (const char* name : kClassAttributes) {
    if (const auto value = attributes->find(name)) {
      if (const auto text = choiceIn(*value)) return *text;
    }
  }
  std::optional<std::string> first;
  attributes->forEachMember([&](std::string_view, const JsonNode& value) {
    if (!first) first = choiceIn(value);
  });
  return first.value_or("object");
}

std::vector<double> polygonOf(const JsonNode& shape) {
  const JsonNode xs = shape.at("all_points_x"), ys = shape.at("all_points_y");
  std::vector<double> x, y, xy;
  xs.forEach([&](const JsonNode& number) { x.push_back(number.number()); });
  ys.forEach([&](const JsonNode& number) { y.push_back(number.number()); });
  if (x.size() != y.size()) shape.fail("all_points_x and all_points_y have different lengths");
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy.push_back(x[i]);
    xy.push_back(y[i]);
  }
  if (const std::string problem = polygonProblem(xy); !problem.empty()) shape.fail(problem);
  return xy;
}

/// nullopt: a shape without an area.
std::optional<std::vector<double>> outlineIn(const JsonNode& shape) {
  const std::string kind = shape.at("name").string();
  const auto number = [&](const char* key) { return shape.at(key).number(); };
  if (kind == "polygon") return polygonOf(shape);
  if (kind == "circle") return ellipseOutline(number("cx"), number("cy"), number("r"), number("r"));
  if (kind == "ellipse") {
    constexpr double kDegrees = 57.29577951308232;  // VIA's theta is in radians
    const auto theta = shape.find("theta");
    return ellipseOutline(number("cx"), number("cy"), number("rx"), number("ry"),
                          theta ? theta->number() * kDegrees : 0);
  }
  if (kind == "point" || kind == "polyline") return std::nullopt;
  shape.fail("shape \"" + kind + "\" is unknown");
}

class ViaReader {
 public:
  explicit ViaReader(const Reading& reading) : reading_(reading), index_(reading.folder()) {}

  Source read() {
    const auto faulty = reading_.forEachFile(
        filesBelow(reading_.path, {".json"}), source_, [&](const fs::path& file) {
          const JsonDocument document(file);
          const JsonNode root = document.root();
          const auto images = root.find("_via_img_metadata");
          (images ? *images : root).forEachMember([&](std::string_view key, const JsonNode& entry) {
            if (!entry.find("filename")) return;  // settings
            guarded(source_, reading_.shown(file) + ": " + std::string(key),
                    [&] { readImage(file, entry); });
          });
        });
    images_.addOthers(index_, faulty, "is not named by any JSON file", source_);
    return std::move(source_);
  }

 private:
  void readImage(const fs::path& file, const JsonNode& entry) {
    SourceImage image = images_.add(index_.only(entry.at("filename").string(), file), file);
    const auto readRegion = [&](const JsonNode& region) {
      guarded(source_, reading_.shown(file), image, [&] {
        const JsonNode shape = region.at("shape_attributes");
        if (const auto name = shape.find("name"); name && name->string() == "rect") {
          const double x = shape.at("x").number(), y = shape.at("y").number();
          image.objects.push_back(boxObject(categoryOfRegion(region), x, y,
                                            x + shape.at("width").number(),
                                            y + shape.at("height").number()));
          return;
        }
        auto outline = outlineIn(shape);
        if (!outline) {
          ++source_.losses[kNoArea];
          image.markLostObject();
          return;
        }
        image.objects.push_back({categoryOfRegion(region), onePolygon(std::move(*outline))});
      });
    };
    if (const auto regions = entry.find("regions")) {
      if (regions->isArray()) {
        regions->forEach(readRegion);
      } else {  // version 1
        regions->forEachMember(
            [&](std::string_view, const JsonNode& region) { readRegion(region); });
      }
    }
    source_.images.push_back(std::move(image));
  }

  const Reading& reading_;
  ImageIndex index_;
  NamedImages images_{reading_};
  Source source_;
};

}  // namespace

Source readVia(const Reading& reading) { return ViaReader(reading).read(); }

}  // namespace lockstep::formats
