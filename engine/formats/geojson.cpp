// QuPath's GeoJSON: a file per image with the image's name. Polygons may have holes.
#include "engine/base/error.h"
#include "engine/formats/json_node.h"
#include "engine/formats/outlines.h"
#include "engine/formats/reading.h"

namespace lockstep::formats {
namespace {

std::vector<double> ringIn(const JsonNode& ring) {
  std::vector<double> xy = pointsIn(ring);
  // The last point of a ring is its first one again.
  const std::size_t end = xy.size();
  if (end >= 8 && xy[0] == xy[end - 2] && xy[1] == xy[end - 1]) xy.resize(end - 2);
  if (const std::string problem = polygonProblem(xy); !problem.empty()) ring.fail(problem);
  return xy;
}

/// An outer ring and holes, of which the invalid ones are faults.
std::vector<std::vector<double>> ringsIn(const JsonNode& polygon, const std::string& where,
                                         Source& source) {
  std::vector<std::vector<double>> rings;
  polygon.forEach([&](const JsonNode& ring) {
    if (rings.empty()) {
      rings.push_back(ringIn(ring));
    } else {
      guarded(source, where, [&] { rings.push_back(ringIn(ring)); });
    }
  });
  if (rings.empty()) polygon.fail("has no ring");
  return rings;
}

/// Several polygons are one object; with a hole in any of them it becomes a mask.
coco::Segmentation segmentationOf(const std::vector<std::vector<std::vector<double>>>& polygons,
                                  base::ImageSize size) {
  std::vector<std::vector<double>> outlines;
  std::vector<coco::Rle> masks;
  bool hasHoles = false;
  for (const auto& rings : polygons) {
    hasHoles |= rings.size() > 1;
    outlines.push_back(rings[0]);
  }
  if (!hasHoles) return outlines;
  for (const auto& rings : polygons) {
    coco::Segmentation one = withHoles(rings, size);
    if (auto* rle = std::get_if<coco::Rle>(&one)) {
      masks.push_back(std::move(*rle));
    } else {
      masks.push_back(coco::rasterisePolygon(rings[0], static_cast<int>(size.height),
                                             static_cast<int>(size.width)));
    }
  }
  return coco::merge(masks);
}

/// QuPath's classification, {"name": …} or a text; other programs' label, class or name.
std::string categoryOfFeature(const JsonNode& feature) {
  const auto properties = feature.find("properties");
  if (!properties) return "object";
  for (const char* key : {"classification", "label", "class", "category", "name"}) {
    const auto value = properties->find(key);
    if (!value) continue;
    if (value->isString()) return value->string();
    if (const auto name = value->find("name")) return name->string();
    if (const auto names = value->find("names")) {  // of a derived class
      std::string joined;
      names->forEach(
          [&](const JsonNode& one) { joined += (joined.empty() ? "" : ": ") + one.string(); });
      if (!joined.empty()) return joined;
    }
  }
  return "object";
}

void readFeature(const JsonNode& feature, const std::string& where, SourceImage& image,
                 Source& source) {
  const JsonNode geometry = feature.at("geometry");
  const std::string type = geometry.at("type").string();
  if (type == "Point" || type == "MultiPoint" || type == "LineString" ||
      type == "MultiLineString") {
    ++source.losses[kNoArea];
    image.markLostObject();
    return;
  }
  std::vector<std::vector<std::vector<double>>> polygons;
  const JsonNode coordinates = geometry.at("coordinates");
  if (type == "Polygon") {
    polygons.push_back(ringsIn(coordinates, where, source));
  } else if (type == "MultiPolygon") {
    coordinates.forEach([&](const JsonNode& polygon) {
      guarded(source, where, [&] { polygons.push_back(ringsIn(polygon, where, source)); });
    });
    if (polygons.empty()) coordinates.fail("has no polygon that can be used");
  } else {
    geometry.fail("type \"" + type + "\" is unknown");
  }
  image.objects.push_back({categoryOfFeature(feature), segmentationOf(polygons, image.size)});
}

/// `a.tif` or `a` for `a.tif.geojson`, `a.geojson`.
fs::path imageOfGeoJson(const fs::path& file, const ImageIndex& index) {
  const std::string stem = file.stem().string();
  return index.withStem(stem).empty() ? index.only(stem, file) : index.onlyWithStem(stem, file);
}

}  // namespace

Source readGeoJson(const Reading& reading) {
  Source source;
  const ImageIndex index(reading.folder());
  NamedImages images(reading);
  const auto faulty = reading.forEachFile(
      filesBelow(reading.path, {".geojson", ".json"}), source, [&](const fs::path& file) {
        const JsonDocument document(file);
        const JsonNode root = document.root();
        const auto features = root.find("features");
        if (!features && !root.isArray() && !root.find("geometry")) return;  // not GeoJSON
        SourceImage image = images.add(imageOfGeoJson(file, index), file);
        const auto read = [&](const JsonNode& feature) {
          guarded(source, reading.shown(file), image,
                  [&] { readFeature(feature, reading.shown(file), image, source); });
        };
        if (features) {
          features->forEach(read);
        } else if (root.isArray()) {
          root.forEach(read);
        } else {
          read(root);
        }
        source.images.push_back(std::move(image));
      });
  images.addOthers(index, faulty, "has no GeoJSON file", source);
  return source;
}

}  // namespace lockstep::formats
