#pragma once

#include <cmath>
#include <memory>

#include "tests/widgets_plots/plain_source.h"
#include "widgets/export/figure.h"

namespace lockstep::tests {

inline widgets::Curve madeCurve(const QString& name, std::vector<QPointF> points,
                                widgets::Curve::Kind kind = widgets::Curve::Kind::Line) {
  auto source = std::make_shared<PlainSource>();
  source->points = std::move(points);
  widgets::Curve curve;
  curve.name = name;
  curve.kind = kind;
  curve.run = QStringLiteral("run a");
  curve.source = source;
  return curve;
}

/// A training loss and a validation one, with a value that is not finite.
inline std::vector<widgets::Curve> madeCurves() {
  std::vector<QPointF> train, heldOut;
  for (int i = 1; i <= 100; ++i)
    train.push_back({i * 1.0, i == 40 ? std::nan("") : 1.0f / static_cast<float>(i)});
  for (int i = 10; i <= 100; i += 10) heldOut.push_back({i * 1.0, 0.1f + 1.0f / i});
  return {madeCurve(QStringLiteral("train"), train),
          madeCurve(QStringLiteral("validation"), heldOut, widgets::Curve::Kind::Evaluation)};
}

/// One of each kind of event, and one outside the plot.
inline std::vector<widgets::EventMark> madeMarks() {
  using enum widgets::EventMark::Kind;
  return {{10, {}, Checkpoint}, {30, {}, Evaluation}, {40, {}, LearningRate}, {60, {}, Resume},
          {75, {}, Fork},       {90, {}, Alert},      {500, {}, Alert}};
}

inline widgets::Figure madeFigure(widgets::FigureContent content, std::size_t plots = 1,
                                  std::vector<widgets::Curve> curves = madeCurves(),
                                  const std::vector<widgets::EventMark>& marks = {}) {
  widgets::PlotView view;
  view.setCurves(std::move(curves));
  widgets::Figure figure;
  figure.runs = {{QStringLiteral("run a"), 0}};
  for (std::size_t i = 0; i < plots; ++i)
    figure.plots.push_back(figurePlot(
        view, QStringLiteral("Loss %1: training & validation").arg(i + 1), plots, content, marks));
  return figure;
}

}  // namespace lockstep::tests
