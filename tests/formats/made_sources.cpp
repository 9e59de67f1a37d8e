#include "tests/formats/made_sources.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/coco/masks/runs.h"

namespace lockstep::tests {
namespace {

using formats::Format;
using formats::LabelImage;
using nlohmann::json;

constexpr int kWidth = SourceFolder::kWidth, kHeight = SourceFolder::kHeight;
const char* const kImages[] = {"a", "b", "c"};

std::string nameOf(const char* image) { return std::string(image) + ".png"; }

void writeImages(const SourceFolder& folder, const std::string& prefix) {
  for (const char* image : kImages) folder.writeImage(prefix + nameOf(image));
}

std::vector<MadeObject> objectsOf(const std::string& image) {
  std::vector<MadeObject> objects;
  for (const MadeObject& object : madeObjects())
    if (object.image == image) objects.push_back(object);
  return objects;
}

json pairsOf(const std::vector<double>& xy) {
  json pairs = json::array();
  for (std::size_t i = 0; i < xy.size(); i += 2) pairs.push_back({xy[i], xy[i + 1]});
  return pairs;
}

json cocoOf(bool isLvis) {
  json root = {{"images", json::array()},
               {"annotations", json::array()},
               {"categories", {{{"id", 3}, {"name", "cat"}}, {{"id", 7}, {"name", "dog"}}}}};
  int id = 0;
  for (const char* image : kImages) {
    root["images"].push_back({{"id", ++id}, {"width", kWidth}, {"height", kHeight}});
    json& row = root["images"].back();
    if (isLvis) {
      row["coco_url"] = "http://images.example/val/" + nameOf(image);
      row["neg_category_ids"] = {7};
      row["not_exhaustive_category_ids"] = json::array();
    } else {
      row["file_name"] = nameOf(image);
    }
    for (const MadeObject& object : objectsOf(image)) {
      root["annotations"].push_back({{"id", root["annotations"].size() + 1},
                                     {"image_id", id},
                                     {"category_id", object.category == std::string("cat") ? 3 : 7},
                                     {"segmentation", {object.polygon}},
                                     {"iscrowd", 0},
                                     {"area", 1},
                                     {"bbox", {0, 0, 1, 1}}});
    }
  }
  if (isLvis)
    for (json& category : root["categories"]) category["frequency"] = "r";
  return root;
}

void writeLabelMe(const SourceFolder& folder) {
  writeImages(folder, "");
  for (const char* image : kImages) {
    json root = {{"version", "5.5.0"},         {"flags", json::object()}, {"shapes", json::array()},
                 {"imagePath", nameOf(image)}, {"imageData", nullptr},    {"imageHeight", kHeight},
                 {"imageWidth", kWidth}};
    for (const MadeObject& object : objectsOf(image))
      root["shapes"].push_back({{"label", object.category},
                                {"points", pairsOf(object.polygon)},
                                {"group_id", nullptr},
                                {"shape_type", "polygon"},
                                {"flags", json::object()}});
    folder.write(std::string(image) + ".json", root.dump());
  }
}

void writeYolo(const SourceFolder& folder) {
  writeImages(folder, "images/");
  for (const char* image : kImages) {
    std::string text;
    for (const MadeObject& object : objectsOf(image)) {
      text += object.category == std::string("cat") ? "0" : "1";
      for (std::size_t i = 0; i < object.polygon.size(); ++i)
        text += " " + json(object.polygon[i] / (i % 2 == 0 ? kWidth : kHeight)).dump();
      text += "\n";
    }
    folder.write("labels/" + std::string(image) + ".txt", text);
  }
  folder.write("data.yaml", "path: .\ntrain: images\nnames:\n  0: cat\n  1: dog\n");
}

/// The colours of VOC's palette, by index.
std::string vocPalette() {
  std::string palette;
  for (int index = 0; index < 256; ++index) {
    int rgb[3] = {};
    for (int bit = 0; bit < 8; ++bit)
      for (int channel = 0; channel < 3; ++channel)
        if (bit * 3 + channel < 8) rgb[channel] |= (index >> (bit * 3 + channel) & 1) << (7 - bit);
    for (const int value : rgb) palette += static_cast<char>(value);
  }
  return palette;
}

void writeVoc(const SourceFolder& folder) {
  writeImages(folder, "JPEGImages/");
  for (const char* image : kImages) {
    std::string objects;
    for (const MadeObject& object : objectsOf(image)) {
      const auto box =
          coco::boundingBoxXywh(coco::rasterisePolygon(object.polygon, kHeight, kWidth));
      const auto tag = [](const char* name, double value) {
        return "<" + std::string(name) + ">" + std::to_string(static_cast<int>(value)) + "</" +
               name + ">";
      };
      objects += "<object><name>" + std::string(object.category) + "</name><bndbox>" +
                 tag("xmin", box[0] + 1) + tag("ymin", box[1] + 1) + tag("xmax", box[0] + box[2]) +
                 tag("ymax", box[1] + box[3]) + "</bndbox></object>";
    }
    folder.write(
        "Annotations/" + std::string(image) + ".xml",
        "<annotation><filename>" + nameOf(image) +
            "</filename><size><width>40</width><height>30</height><depth>3</depth></size>" +
            objects + "</annotation>");
    folder.write("SegmentationObject/" + nameOf(image),
                 palettePng(madeLabels(image), vocPalette()));
  }
}

std::string cvatPoints(const std::vector<double>& xy) {
  std::string text;
  for (std::size_t i = 0; i < xy.size(); i += 2)
    text += (i == 0 ? "" : ";") + json(xy[i]).dump() + "," + json(xy[i + 1]).dump();
  return text;
}

void writeCvat(const SourceFolder& folder) {
  writeImages(folder, "images/");
  std::string text =
      "<?xml "
      "version=\"1.0\"?><annotations><version>1.1</version><meta><task><labels><label><name>cat</"
      "name></label><label><name>dog</name></label></labels></task></meta>";
  int id = 0;
  for (const char* image : kImages) {
    text += "<image id=\"" + std::to_string(id++) + "\" name=\"" + nameOf(image) +
            "\" width=\"40\" height=\"30\">";
    for (const MadeObject& object : objectsOf(image))
      text += "<polygon label=\"" + std::string(object.category) + "\" points=\"" +
              cvatPoints(object.polygon) + "\"/>";
    text += "</image>";
  }
  folder.write("annotations.xml", text + "</annotations>");
}

void writeVia(const SourceFolder& folder) {
  writeImages(folder, "");
  json images = json::object();
  for (const char* image : kImages) {
    json regions = json::array();
    for (const MadeObject& object : objectsOf(image)) {
      json xs = json::array(), ys = json::array();
      for (std::size_t i = 0; i < object.polygon.size(); i += 2) {
        xs.push_back(object.polygon[i]);
        ys.push_back(object.polygon[i + 1]);
      }
      regions.push_back(
          {{"shape_attributes", {{"name", "polygon"}, {"all_points_x", xs}, {"all_points_y", ys}}},
           {"region_attributes", {{"animal", object.category}}}});
    }
    images[nameOf(image) + "123"] = {{"filename", nameOf(image)},
                                     {"size", 123},
                                     {"regions", regions},
                                     {"file_attributes", json::object()}};
  }
  folder.write("via_project.json",
               json{{"_via_settings", json::object()}, {"_via_img_metadata", images}}.dump());
}

void writeLabelStudio(const SourceFolder& folder) {
  json tasks = json::array();
  for (const char* image : kImages) {
    folder.writeImage("images/" + nameOf(image));
    json results = json::array();
    for (const MadeObject& object : objectsOf(image)) {
      json points = json::array();
      for (std::size_t i = 0; i < object.polygon.size(); i += 2)
        points.push_back({object.polygon[i] * 100 / kWidth, object.polygon[i + 1] * 100 / kHeight});
      results.push_back(
          {{"id", "x"},
           {"type", "polygonlabels"},
           {"from_name", "label"},
           {"to_name", "image"},
           {"original_width", kWidth},
           {"original_height", kHeight},
           {"value",
            {{"points", points}, {"closed", true}, {"polygonlabels", {object.category}}}}});
    }
    tasks.push_back(
        {{"id", tasks.size() + 1},
         {"data", {{"image", "/data/upload/1/1a2b3c4d-" + nameOf(image)}}},
         {"annotations", {{{"id", 1}, {"was_cancelled", false}, {"result", results}}}}});
  }
  folder.write("export.json", tasks.dump());
}

void writeGeoJson(const SourceFolder& folder) {
  writeImages(folder, "");
  for (const char* image : kImages) {
    json features = json::array();
    for (const MadeObject& object : objectsOf(image)) {
      json ring = pairsOf(object.polygon);
      ring.push_back(ring[0]);
      features.push_back(
          {{"type", "Feature"},
           {"id", "x"},
           {"geometry", {{"type", "Polygon"}, {"coordinates", {ring}}}},
           {"properties",
            {{"objectType", "annotation"},
             {"classification", {{"name", object.category}, {"color", {1, 2, 3}}}}}}});
    }
    folder.write(std::string(image) + ".geojson",
                 json{{"type", "FeatureCollection"}, {"features", features}}.dump());
  }
}

void writeMasks(const SourceFolder& folder) {
  writeImages(folder, "images/");
  for (const char* image : kImages) {
    for (const char* category : {"cat", "dog"}) {
      LabelImage labels = madeLabels(image);
      const std::vector<MadeObject> objects = objectsOf(image);
      for (std::uint32_t& id : labels.ids)
        if (id != 0 && objects[id - 1].category != std::string(category)) id = 0;
      folder.writeLabels("masks/" + std::string(category) + "/" + nameOf(image), labels);
    }
  }
}

void writeCityscapes(const SourceFolder& folder) {
  for (const char* image : kImages) {
    folder.writeImage("leftImg8bit/train/town/" + std::string(image) + "_leftImg8bit.png");
    json objects = {{{"label", "road"}, {"polygon", pairsOf({0, 0, 40, 0, 40, 30, 0, 30})}}};
    for (const MadeObject& object : objectsOf(image))
      objects.push_back({{"label", object.category == std::string("cat") ? "car" : "person"},
                         {"polygon", pairsOf(object.polygon)}});
    folder.write("gtFine/train/town/" + std::string(image) + "_gtFine_polygons.json",
                 json{{"imgHeight", kHeight}, {"imgWidth", kWidth}, {"objects", objects}}.dump());
  }
}

void appendChunk(std::string& png, const std::string& type, const std::string& data) {
  const auto number = [](std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
  };
  std::uint32_t crc = 0xffffffffU;
  for (const char character : type + data) {
    crc ^= static_cast<unsigned char>(character);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
  }
  png += number(static_cast<std::uint32_t>(data.size())) + type + data + number(~crc);
}

}  // namespace

std::string Expected::text() const {
  std::string text = image + " " + category + (isCrowd ? " crowd" : "") + " " +
                     std::to_string(mask.height) + "x" + std::to_string(mask.width) + " of " +
                     std::to_string(coco::areaPx(mask)) + " px, box";
  for (const double value : boxXywh) text += " " + std::to_string(value);
  return text;
}

void SourceFolder::write(const std::string& name, const std::string& text) const {
  fs::create_directories((path() / name).parent_path());
  base::writeFileAtomically(path() / name, text);
}

void SourceFolder::writeImage(const std::string& name, int width, int height) const {
  LabelImage grey{width, height, {}};
  grey.ids.assign(static_cast<std::size_t>(width * height), 77);
  writeLabels(name, grey);
}

void SourceFolder::writeLabels(const std::string& name, const LabelImage& labels) const {
  write(name, worker::DatasetImages().encodeLabels(labels));
}

void SourceFolder::writeOriented(const std::string& name, const LabelImage& stored,
                                 int orientation) const {
  std::string exif("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0", 18), chunk;
  exif += static_cast<char>(orientation) + std::string(7, '\0');
  appendChunk(chunk, "eXIf", exif);
  constexpr std::size_t kAfterHeader = 8 + 25;
  write(name, worker::DatasetImages().encodeLabels(stored).insert(kAfterHeader, chunk));
}

formats::ImportReport SourceFolder::import(formats::ImportOptions options) const {
  fs::remove_all(out());
  if (options.source.empty()) options.source = path();
  options.out = out();
  return formats::importDataset(options, worker::DatasetImages());
}

fs::path SourceFolder::annotationsOf(const std::string& part) const {
  return out() / "annotations" / ("instances_" + part + ".json");
}

std::vector<Expected> SourceFolder::imported() const {
  std::vector<Expected> objects;
  for (const char* part : {"train", "val"}) {
    const fs::path file = annotationsOf(part);
    if (!fs::exists(file)) continue;
    const coco::Dataset dataset = coco::Dataset::load(file);
    for (std::size_t i = 0; i < dataset.images().size(); ++i) {
      const coco::Image& image = dataset.images()[i];
      for (const coco::Annotation& annotation : dataset.annotationsOf(i)) {
        Expected object{fs::path(image.fileName).stem().string(),
                        dataset
                            .categories()[static_cast<std::size_t>(
                                              dataset.classOf(annotation.categoryId).value) -
                                          1]
                            .name};
        if (annotation.hasMask) object.mask = coco::annotationMask(annotation, image);
        object.boxXywh =
            object.mask.height > 0 ? coco::boundingBoxXywh(object.mask) : annotation.boxXywh;
        object.isCrowd = annotation.isCrowd;
        objects.push_back(std::move(object));
      }
    }
  }
  std::ranges::stable_sort(objects, {}, [](const Expected& object) {
    return std::tuple(object.image, object.category, object.boxXywh);
  });
  return objects;
}

std::vector<std::string> SourceFolder::imagesOf(const char* part) const {
  std::vector<std::string> names;
  const fs::path file = annotationsOf(part);
  if (!fs::exists(file)) return names;
  const coco::Dataset dataset = coco::Dataset::load(file);
  for (const coco::Image& image : dataset.images())
    names.push_back(fs::path(image.fileName).stem().string());
  return names;
}

std::string faultsOf(const formats::ImportReport& report) {
  std::string text;
  for (const formats::Fault& fault : report.faults) text += fault.text() + "\n";
  return text;
}

const std::vector<MadeObject>& madeObjects() {
  static const std::vector<MadeObject> objects{{"a", "cat", {4, 5, 14, 5, 14, 13, 4, 13}},
                                               {"a", "dog", {20.5, 3.25, 36, 8, 27.75, 26}},
                                               {"b", "cat", {2, 2, 30, 4, 33, 27, 10, 20}}};
  return objects;
}

std::vector<Expected> expectedObjects() {
  std::vector<Expected> expected;
  for (const MadeObject& object : madeObjects()) {
    expected.push_back(
        {object.image, object.category, coco::rasterisePolygon(object.polygon, kHeight, kWidth)});
    expected.back().boxXywh = coco::boundingBoxXywh(expected.back().mask);
  }
  return expected;
}

LabelImage madeLabels(const std::string& image) {
  LabelImage labels{kWidth, kHeight, {}};
  labels.ids.assign(kWidth * kHeight, 0);
  std::uint32_t id = 0;
  for (const MadeObject& object : objectsOf(image)) {
    const std::vector<std::uint8_t> pixels =
        coco::decodeMask(coco::rasterisePolygon(object.polygon, kHeight, kWidth));
    ++id;
    for (std::size_t i = 0; i < pixels.size(); ++i)
      if (pixels[i] != 0) labels.ids[i] = id;
  }
  return labels;
}

const std::vector<MadeSource>& madeSources() {
  static const std::vector<MadeSource> sources{
      {"coco", Format::Coco,
       [](const SourceFolder& folder) {
         writeImages(folder, "images/");
         folder.write("annotations/instances.json", cocoOf(false).dump());
       }},
      {"roboflow's coco", Format::Coco,
       [](const SourceFolder& folder) {
         writeImages(folder, "train/");
         folder.write("train/_annotations.coco.json", cocoOf(false).dump());
       }},
      {"lvis", Format::Lvis,
       [](const SourceFolder& folder) {
         writeImages(folder, "val/");
         folder.write("lvis_v1.json", cocoOf(true).dump());
       }},
      {"labelme", Format::LabelMe, writeLabelMe},
      {"yolo", Format::Yolo, writeYolo},
      {"voc", Format::Voc, writeVoc},
      {"cvat", Format::Cvat, writeCvat},
      {"via", Format::Via, writeVia},
      {"cityscapes", Format::Cityscapes, writeCityscapes},
      {"labelstudio", Format::LabelStudio, writeLabelStudio},
      {"geojson", Format::GeoJson, writeGeoJson},
      {"masks", Format::Masks, writeMasks}};
  return sources;
}

std::string tiff32(const LabelImage& labels) {
  std::string file("II*\0", 4);
  const auto append = [&file](std::uint32_t value, int bytes) {
    for (int byte = 0; byte < bytes; ++byte) file += static_cast<char>(value >> (8 * byte) & 0xff);
  };
  const auto size = static_cast<std::uint32_t>(labels.ids.size() * 4);
  append(8 + size, 4);  // the directory is after the pixels
  for (const std::uint32_t id : labels.ids) append(id, 4);
  constexpr std::uint32_t kShort = 3, kLong = 4;
  const std::vector<std::array<std::uint32_t, 3>> entries{
      {256, kLong, static_cast<std::uint32_t>(labels.width)},
      {257, kLong, static_cast<std::uint32_t>(labels.height)},
      {258, kShort, 32},  // bits per sample
      {259, kShort, 1},   // no compression
      {262, kShort, 1},   // black is zero
      {273, kLong, 8},    // the strip
      {277, kShort, 1},   // samples per pixel
      {278, kLong, static_cast<std::uint32_t>(labels.height)},
      {279, kLong, size},
      {339, kShort, 1}};  // unsigned
  append(static_cast<std::uint32_t>(entries.size()), 2);
  for (const auto& [tag, type, value] : entries) {
    append(tag, 2);
    append(type, 2);
    append(1, 4);
    append(value, 4);
  }
  append(0, 4);
  return file;
}

std::string palettePng(const LabelImage& indices, const std::string& palette) {
  std::string png = "\x89PNG\r\n\x1a\n", header;
  for (const int side : {indices.width, indices.height})
    for (int shift = 24; shift >= 0; shift -= 8) header += static_cast<char>(side >> shift & 0xff);
  appendChunk(png, "IHDR", header + std::string("\x08\x03\0\0\0", 5));
  appendChunk(png, "PLTE", palette);
  std::string rows;
  for (int y = 0; y < indices.height; ++y) {
    rows += '\0';
    for (int x = 0; x < indices.width; ++x)
      rows += static_cast<char>(indices.ids[static_cast<std::size_t>(y * indices.width + x)]);
  }
  // One stored block of deflate, in zlib's frame.
  std::uint32_t a = 1, b = 0;
  for (const char character : rows) {
    a = (a + static_cast<unsigned char>(character)) % 65521;
    b = (b + a) % 65521;
  }
  const auto length = static_cast<std::uint32_t>(rows.size());
  std::string data("\x78\x01\x01", 3);
  for (const std::uint32_t word : {length, ~length}) {
    data += static_cast<char>(word & 0xff);
    data += static_cast<char>(word >> 8 & 0xff);
  }
  data += rows;
  for (const std::uint32_t word : {b, a}) {
    data += static_cast<char>(word >> 8 & 0xff);
    data += static_cast<char>(word & 0xff);
  }
  appendChunk(png, "IDAT", data);
  appendChunk(png, "IEND", "");
  return png;
}

}  // namespace lockstep::tests
