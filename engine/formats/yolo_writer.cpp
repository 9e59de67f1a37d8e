// YOLO: images/PART/NAME.jpg, labels/PART/NAME.txt, data.yaml.
#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/number_text.h"
#include "engine/config/value_text.h"
#include "engine/formats/writing.h"

namespace lockstep::formats {
namespace {

constexpr const char* kJoined =
    "objects of several polygons or with holes: joined into one polygon";

/// One closed line through all polygons: it goes to each from the first point of the first one and
/// comes back the same way, so that the area is the same.
std::vector<double> joined(const std::vector<std::vector<double>>& polygons) {
  std::vector<double> line = polygons.front();
  for (std::size_t p = 1; p < polygons.size(); ++p) {
    const std::vector<double>& polygon = polygons[p];
    line.insert(line.end(), {polygons[0][0], polygons[0][1]});
    line.insert(line.end(), polygon.begin(), polygon.end());
    line.insert(line.end(), {polygon[0], polygon[1]});
  }
  if (polygons.size() > 1) line.insert(line.end(), {polygons[0][0], polygons[0][1]});
  return line;
}

/// A share of a side that times the side is the same number again where there is one: coordinates
/// with decimals often lie where rasterising rounds.
double shareOf(double px, double side) {
  const double share = px / side;
  for (const double other : {share, std::nextafter(share, 0), std::nextafter(share, 2)})
    if (other * side == px) return other;
  return share;
}

bool isOutside(const std::vector<std::vector<double>>& polygons, base::ImageSize size) {
  for (const std::vector<double>& xy : polygons) {
    for (std::size_t i = 0; i < xy.size(); ++i) {
      const auto side = static_cast<double>(i % 2 == 0 ? size.width : size.height);
      if (xy[i] < 0 || xy[i] > side) return true;
    }
  }
  return false;
}

class YoloWriter : public DatasetWriter {
 public:
  YoloWriter(fs::path folder, const std::vector<coco::Category>& categories, Losses& losses)
      : folder_(std::move(folder)), losses_(losses) {
    for (const coco::Category& category : categories) {
      indexOf_.emplace(category.name, names_.size());
      names_.push_back(category.name);
    }
  }

  fs::path placeOf(const ExportedImage& image) const override {
    return fs::path("images") / image.part / image.fileName;
  }

  void add(const ExportedImage& exported) override {
    parts_[exported.part] = true;
    std::string text;
    for (const SourceObject& object : exported.image.objects) {
      if (object.isCrowd) {
        ++losses_["crowds, which YOLO's format does not support: left out"];
        continue;
      }
      text += std::to_string(indexOf_.at(object.category)) +
              numbersOf(object, exported.image.size) + "\n";
    }
    writeFile(folder_ / "labels" / exported.part / (exported.stem() + ".txt"), text);
  }

  void finish() override {
    std::string text = "path: .\n";
    for (const auto& [part, isThere] : parts_) text += part + ": images/" + part + "\n";
    text += "nc: " + std::to_string(names_.size()) + "\nnames:\n";
    for (std::size_t i = 0; i < names_.size(); ++i)
      text += "  " + std::to_string(i) + ": " + config::writeText(names_[i]) + "\n";
    writeFile(folder_ / "data.yaml", text);
  }

 private:
  std::string numbersOf(const SourceObject& object, base::ImageSize size) {
    const auto width = static_cast<double>(size.width), height = static_cast<double>(size.height);
    std::string text;
    const auto append = [&](double number) { text += " " + base::shortNumber(number, 17); };
    if (!object.hasMask()) {
      const auto& [x, y, w, h] = object.boxXywh;
      const double x0 = std::clamp(x, 0., width), x1 = std::clamp(x + w, 0., width),
                   y0 = std::clamp(y, 0., height), y1 = std::clamp(y + h, 0., height);
      append((x0 + x1) / 2 / width);
      append((y0 + y1) / 2 / height);
      append((x1 - x0) / width);
      append((y1 - y0) / height);
      return text;
    }
    std::vector<std::vector<double>> polygons = polygonsOf(object);
    if (isOutside(polygons, size)) {
      ++losses_["objects that extend beyond the image: clipped"];
      polygons = polygonsOf({object.category, maskOf(object, size)});
    }
    if (polygons.size() > 1) {
      ++losses_[kJoined];
      // Polygons that overlap would cancel there: the outlines of their union do not.
      polygons = polygonsOf({object.category, maskOf(object, size)});
    }
    const std::vector<double> xy = joined(polygons);
    for (std::size_t i = 0; i < xy.size(); ++i) append(shareOf(xy[i], i % 2 == 0 ? width : height));
    return text;
  }

  fs::path folder_;
  Losses& losses_;
  std::vector<std::string> names_;
  std::map<std::string, std::size_t> indexOf_;
  std::map<std::string, bool> parts_;
};

}  // namespace

std::unique_ptr<DatasetWriter> makeYoloWriter(const fs::path& folder,
                                              const std::vector<coco::Category>& categories,
                                              Losses& losses) {
  return std::make_unique<YoloWriter>(folder, categories, losses);
}

}  // namespace lockstep::formats
