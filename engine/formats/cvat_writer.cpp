// CVAT's XML 1.1: annotations.xml, images/PART/NAME.jpg.
#include <pugixml.hpp>
#include <sstream>

#include "engine/base/number_text.h"
#include "engine/formats/writing.h"

namespace lockstep::formats {
namespace {

std::string numberText(double number) { return base::shortNumber(number, 17); }

/// Lengths of runs of 0 and 1 in turn, row by row.
std::string rowRuns(const coco::MaskCrop& crop) {
  std::string text;
  std::uint8_t value = 0;
  std::size_t length = 0;
  const auto end = [&] {
    text += (text.empty() ? "" : ", ") + std::to_string(length);
    length = 0;
  };
  for (const std::uint8_t pixel : crop.pixels) {
    if (pixel != value) end();
    value = pixel;
    ++length;
  }
  end();
  return text;
}

class CvatWriter : public DatasetWriter {
 public:
  CvatWriter(fs::path folder, const std::vector<coco::Category>& categories, Losses& losses)
      : folder_(std::move(folder)), losses_(losses) {
    root_ = document_.append_child("annotations");
    root_.append_child("version").text() = "1.1";
    pugi::xml_node labels = root_.append_child("meta").append_child("task").append_child("labels");
    for (const coco::Category& category : categories)
      labels.append_child("label").append_child("name").text() = category.name.c_str();
  }

  fs::path placeOf(const ExportedImage& image) const override {
    return fs::path("images") / image.part / image.fileName;
  }

  void add(const ExportedImage& exported) override {
    const SourceImage& image = exported.image;
    pugi::xml_node node = root_.append_child("image");
    node.append_attribute("id") = nextId_++;
    node.append_attribute("name") = (std::string(exported.part) + "/" + exported.fileName).c_str();
    node.append_attribute("subset") = exported.part;
    node.append_attribute("width") = static_cast<long long>(image.size.width);
    node.append_attribute("height") = static_cast<long long>(image.size.height);
    int group = 0;
    for (const SourceObject& object : image.objects) {
      if (object.isCrowd) {
        ++losses_["crowds, which CVAT's format does not support: left out"];
      } else {
        addObject(object, node, ++group);
      }
    }
  }

  void finish() override {
    std::ostringstream text;
    document_.save(text, "  ");
    writeFile(folder_ / "annotations.xml", text.str());
  }

 private:
  static pugi::xml_node shapeOf(pugi::xml_node& image, const char* kind,
                                const SourceObject& object) {
    pugi::xml_node shape = image.append_child(kind);
    shape.append_attribute("label") = object.category.c_str();
    shape.append_attribute("source") = "manual";
    shape.append_attribute("occluded") = "0";
    shape.append_attribute("z_order") = "0";
    return shape;
  }

  static void addObject(const SourceObject& object, pugi::xml_node& image, int group) {
    if (const auto* mask = std::get_if<coco::Rle>(&object.segmentation)) {
      const coco::MaskCrop crop = coco::crop(*mask);
      pugi::xml_node shape = shapeOf(image, "mask", object);
      shape.append_attribute("rle") = rowRuns(crop).c_str();
      shape.append_attribute("left") = crop.x;
      shape.append_attribute("top") = crop.y;
      shape.append_attribute("width") = crop.width;
      shape.append_attribute("height") = crop.height;
      return;
    }
    const auto& polygons = std::get<0>(object.segmentation);
    if (polygons.empty()) {
      pugi::xml_node shape = shapeOf(image, "box", object);
      const auto& [x, y, width, height] = object.boxXywh;
      for (const auto& [name, value] :
           {std::pair("xtl", x), {"ytl", y}, {"xbr", x + width}, {"ybr", y + height}})
        shape.append_attribute(name) = numberText(value).c_str();
    }
    for (const auto& polygon : polygons) {
      pugi::xml_node shape = shapeOf(image, "polygon", object);
      std::string points;
      for (std::size_t i = 0; i + 1 < polygon.size(); i += 2)
        points += (i == 0 ? "" : ";") + numberText(polygon[i]) + "," + numberText(polygon[i + 1]);
      shape.append_attribute("points") = points.c_str();
      if (polygons.size() > 1) shape.append_attribute("group_id") = group;
    }
  }

  fs::path folder_;
  Losses& losses_;
  pugi::xml_document document_;
  pugi::xml_node root_;
  int nextId_ = 0;
};

}  // namespace

std::unique_ptr<DatasetWriter> makeCvatWriter(const fs::path& folder,
                                              const std::vector<coco::Category>& categories,
                                              Losses& losses) {
  return std::make_unique<CvatWriter>(folder, categories, losses);
}

}  // namespace lockstep::formats
