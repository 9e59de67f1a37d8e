#include "engine/coco/report/line_chart.h"

#include <cstdio>
#include <span>

#include "engine/base/number_text.h"
#include "engine/coco/report/html.h"

namespace lockstep::coco::report {
namespace {

/// Maps values to px of the chart.
struct Frame {
  double left, top, width, height;
  double xLow = 0, xHigh = 1;

  double x(double value) const { return left + width * (value - xLow) / (xHigh - xLow); }
  double y(double value) const { return top + height * (1 - value); }
  double bottom() const { return top + height; }
};

std::string attribute(const char* name, double value) {
  return std::string(" ") + name + "=\"" + coordinate(value) + "\"";
}

std::string rule(const char* style, double x1, double y1, double x2, double y2) {
  return std::string("<line class=\"") + style + "\"" + attribute("x1", x1) + attribute("y1", y1) +
         attribute("x2", x2) + attribute("y2", y2) + "/>";
}

std::string label(const char* style, double x, double y, const std::string& text) {
  return std::string("<text class=\"") + style + "\"" + attribute("x", x) + attribute("y", y) +
         ">" + escaped(text) + "</text>";
}

std::string polyline(const char* style, const Frame& frame,
                     std::span<const std::array<double, 2>> points) {
  std::string text = std::string("<polyline class=\"") + style + "\" points=\"";
  for (const auto& [x, y] : points) {
    char place[64];
    std::snprintf(place, sizeof place, "%.1f,%.1f ", frame.x(x), frame.y(y));
    text += place;
  }
  return text + "\"/>";
}

std::string axes(const LineChart& chart, const Frame& frame) {
  std::string text;
  constexpr int kSteps = 5;
  for (int i = 0; i <= kSteps; ++i) {
    const double share = static_cast<double>(i) / kSteps;
    const double x = frame.left + frame.width * share, y = frame.y(share);
    text += rule("grid", frame.left, y, frame.left + frame.width, y) +
            label("end", frame.left - 8, y + 4, base::shortNumber(share, 2)) +
            rule("grid", x, frame.top, x, frame.bottom()) +
            label("middle", x, frame.bottom() + 18,
                  base::shortNumber(chart.xLow * (1 - share) + chart.xHigh * share, 3));
  }
  return text + label("middle", frame.left + frame.width / 2, frame.bottom() + 38, chart.xName);
}

std::string lineLegend(const std::vector<Line>& lines) {
  std::string text = "<p class=\"legend\">";
  for (const Line& line : lines) {
    text += std::string(
                "<span><svg width=\"28\" height=\"10\" viewBox=\"0 0 28 10\" "
                "aria-hidden=\"true\">") +
            rule(line.style, 0, 5, 28, 5) + "</svg>" + escaped(line.name) + "</span> ";
  }
  return text + "</p>\n";
}

}  // namespace

std::string drawn(const LineChart& chart) {
  const Frame frame{44, 10, 500, 260, chart.xLow, chart.xHigh};
  std::string text = lineLegend(chart.lines);
  text +=
      std::string("<svg class=\"chart lines\" viewBox=\"0 0 560 316\" role=\"img\" aria-label=\"") +
      chart.yName + " against " + chart.xName + "\">\n" + axes(chart, frame) + "\n";
  if (chart.markedX) {
    const double x = frame.x(*chart.markedX);
    if (x >= frame.left && x <= frame.left + frame.width)
      text += rule("mark", x, frame.top, x, frame.bottom()) + "\n";
  }
  for (const Line& line : chart.lines) text += polyline(line.style, frame, line.points) + "\n";
  return text + "</svg>\n";
}

std::string smallChart(const std::string& name, const std::string& figure,
                       const std::vector<std::array<double, 2>>& points) {
  const Frame frame{1, 1, 158, 98};
  return "<figure class=\"small\"><figcaption><span>" + escaped(cutTo(name, 22)) + "</span> <b>" +
         figure + "</b></figcaption><svg viewBox=\"0 0 160 100\" role=\"img\" aria-label=\"" +
         escaped(name) + "\"><rect class=\"frame\" x=\"1\" y=\"1\" width=\"158\" height=\"98\"/>" +
         rule("grid", frame.left, frame.y(.5), frame.left + frame.width, frame.y(.5)) +
         rule("grid", frame.x(.5), frame.top, frame.x(.5), frame.bottom()) +
         polyline("line1", frame, points) + "</svg></figure>\n";
}

}  // namespace lockstep::coco::report
