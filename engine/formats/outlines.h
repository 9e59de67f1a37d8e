#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/formats/source.h"

/// The shapes of annotation tools as polygons x0 y0 x1 y1 …, px.
namespace lockstep::formats {

/// Of Source::losses.
inline constexpr const char* kNoArea = "points and lines, which have no area";

inline coco::Segmentation onePolygon(std::vector<double> xy) {
  std::vector<std::vector<double>> polygons;
  polygons.push_back(std::move(xy));
  return polygons;
}

/// An object with a box and no mask: what was marked is a rectangle. Any two opposite corners.
SourceObject boxObject(const std::string& category, double x0, double y0, double x1, double y1);
/// Turns points x0 y0 x1 y1 … clockwise about (x, y) by an angle in degrees.
void turn(std::vector<double>& xy, double x, double y, double angle);
/// Turned about its first corner.
std::vector<double> turnedRectangle(double x, double y, double width, double height, double angle);
/// With 64 points, of the same area as the ellipse. Turned about its centre.
std::vector<double> ellipseOutline(double x, double y, double radiusX, double radiusY,
                                   double angle = 0);

/// `has 2 points; a polygon needs at least 3`; empty: it has.
std::string polygonProblem(const std::vector<double>& xy);
/// Throws Error with it.
void requirePolygon(const std::vector<double>& xy);

/// Left, top, right, bottom of an object's polygons, or of its box. Not of an RLE.
std::array<double, 4> extentOf(const SourceObject& object);

/// The polygons of an image. Those with one label and one group are parts of one object.
class PolygonGroups {
 public:
  explicit PolygonGroups(SourceImage& image) : image_(image) {}
  /// The object that it is part of. `group`: empty: none.
  SourceObject& add(const std::string& label, const std::string& group,
                    std::vector<double> outline);

 private:
  SourceImage& image_;
  std::map<std::pair<std::string, std::string>, std::size_t> indexOf_;
};

/// An outer ring and the holes in it, as a mask; without holes as the polygon itself, unchanged.
coco::Segmentation withHoles(const std::vector<std::vector<double>>& rings, base::ImageSize size);

}  // namespace lockstep::formats
