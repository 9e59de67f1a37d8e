#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

/// Outlines x0 y0 x1 y1 …, px; the last point is joined to the first.
namespace lockstep::coco {

/// Where two edges of an outline cross, px. Edges that only touch, or that lie upon one another, do
/// not cross: an outline may return to a vertex or an edge of its own. Mostly O(n log n), at worst
/// O(n²) with a small constant.
std::optional<std::array<double, 2>> findSelfCrossing(std::span<const double> xy);

/// False if the outline encloses nothing: all points are on a line, or it goes back the way it
/// came. For an outline that does not cross itself.
bool enclosesArea(std::span<const double> xy);

/// Removes polygons without an area. Returns their number.
std::size_t removeEmptyPolygons(std::vector<std::vector<double>>& polygons);

}  // namespace lockstep::coco
