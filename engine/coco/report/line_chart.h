#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::coco::report {

/// A line of a chart; style is a CSS class of the page: line1, line2 or line3.
struct Line {
  std::string name;
  const char* style = "line1";
  std::vector<std::array<double, 2>> points;  ///< y from 0 to 1
};

struct LineChart {
  const char *xName = "", *yName = "";
  double xLow = 0, xHigh = 1;
  std::vector<Line> lines;
  std::optional<double> markedX;  ///< position of a vertical line
};

/// The chart as inline SVG with its legend; y ranges from 0 to 1.
std::string drawn(const LineChart& chart);

/// A small chart of one line; both axes range from 0 to 1.
std::string smallChart(const std::string& name, const std::string& figure,
                       const std::vector<std::array<double, 2>>& points);

}  // namespace lockstep::coco::report
