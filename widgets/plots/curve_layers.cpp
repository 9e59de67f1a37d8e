#include "widgets/plots/curve_layers.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "widgets/curves/free_place.h"
#include "widgets/curves/number_text.h"
#include "widgets/curves/picture_key.h"
#include "widgets/curves/pixel_map.h"
#include "widgets/curves/polyline.h"
#include "widgets/curves/shaded_gap.h"
#include "widgets/jobs/latest_job.h"
#include "widgets/plots/curve_lines.h"
#include "widgets/plots/curve_pen.h"
#include "widgets/plots/event_marks.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr double kIsolatedPointPx = 5, kMarkGapPx = 9, kMarkFromEdgePx = 4, kMarkHeightPx = 8;

using Line = CurveLines::Line;
using Lines = std::vector<CurveLines>;

/// A small caret: there are points above.
QCPScatterStyle aboveMarker(const QColor& color) {
  QPainterPath caret({-3, 1.5});
  caret.lineTo(0, -1.5);
  caret.lineTo(3, 1.5);
  return {caret, QPen(color, 1.4), Qt::NoBrush, 8};
}

QCPScatterStyle evaluationMarker(int styleIndex, const QColor& color, const QColor& background,
                                 double sizePx) {
  static constexpr QCPScatterStyle::ScatterShape kShapes[] = {
      QCPScatterStyle::ssCircle, QCPScatterStyle::ssSquare, QCPScatterStyle::ssDiamond,
      QCPScatterStyle::ssTriangle};
  return {kShapes[std::max(styleIndex, 0) % 4], QPen(color, 1.6), QBrush(background), sizePx};
}

/// "lowest", not "best": the best checkpoint is chosen by evaluation.best_metric.
/// `run` empty: there is only one.
QString lowestText(const CurveReading& lowest, const QString& valueName, const QString& run,
                   XAxis axis) {
  const QString text = axis == XAxis::Step ? CurveLayers::tr("lowest %1 at step %2")
                                           : CurveLayers::tr("lowest %1, step %2");
  const QString value = valueText(lowest.value);
  const QString named =
      text.arg(valueName.isEmpty() ? value : valueName + QLatin1Char(' ') + value).arg(lowest.step);
  return run.isEmpty() ? named : QStringLiteral("%1 (%2)").arg(named, run);
}

bool isOfSeveralRuns(const std::vector<Curve>& curves) {
  return std::any_of(curves.begin(), curves.end(),
                     [&](const Curve& curve) { return curve.run != curves.front().run; });
}

/// Without QCustomPlot's case distinctions for every point.
PixelMap pixelMapOf(const QCPAxis* axis) {
  const double low = axis->range().lower, high = axis->range().upper;
  return {{low, high},
          axis->coordToPixel(low),
          axis->coordToPixel(high),
          axis->scaleType() == QCPAxis::stLogarithmic};
}

/// Points with a marker.
struct Scatter {
  QCPScatterStyle style;
  Line places;  ///< px
};

/// What belongs to a curve beside its lines.
struct DrawnCurve {
  std::vector<Scatter> scatters;
  ShadedGap gap;  ///< in the values of the axes
  int pointCount = 0;
};

/// A marker as a picture: the same for all points of a curve, and drawn once. `scale`: of the
/// painter.
QImage pictureOf(const QCPScatterStyle& style, double scale) {
  const int side = static_cast<int>(std::ceil(style.size() / 2 + style.pen().widthF())) * 2 + 3;
  QImage picture(QSize(side, side) * scale, QImage::Format_ARGB32_Premultiplied);
  picture.fill(Qt::transparent);
  QCPPainter painter(&picture);
  painter.scale(scale, scale);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(side / 2.0, side / 2.0);
  style.applyTo(&painter, style.pen());
  style.drawShape(&painter, 0, 0);
  return picture;
}

void drawScatter(QCPPainter* painter, const Scatter& scatter, bool isVector) {
  constexpr std::size_t kFewest = 4;  // for which a picture is worth it
  if (isVector || scatter.places.size() < kFewest) {
    scatter.style.applyTo(painter, scatter.style.pen());
    for (const QPointF& place : scatter.places)
      if (std::isfinite(place.y())) scatter.style.drawShape(painter, place);
    return;
  }
  const double scale = painter->device()->devicePixelRatioF() * painter->transform().m11();
  const QImage picture = pictureOf(scatter.style, scale);
  const QSizeF size = QSizeF(picture.size()) / scale;
  painter->setAntialiasing(false);
  for (const QPointF& place : scatter.places) {
    if (!std::isfinite(place.y())) continue;
    const QPointF corner(std::round(place.x()) - (size.width() - 1) / 2,
                         std::round(place.y()) - (size.height() - 1) / 2);
    painter->drawImage(QRectF(corner, size), picture);
  }
  painter->setAntialiasing(true);
}

}  // namespace

/// In QCustomPlot's "main" layer, which is between its grid and its axes.
struct CurveLayers::Impl : QCPLayerable {
  explicit Impl(QCustomPlot* plot);

  /// Returns whether the picture differs.
  bool build(const Content& content);
  /// Draws the lines in another thread; then there is a replot.
  void requestPicture(std::function<void()> drawn);

  std::shared_ptr<const Lines> lines = std::make_shared<Lines>();  ///< the first one on top
  std::vector<DrawnCurve> curves;                                  ///< of these lines

 protected:
  /// With room for the width of a line at the border, such as a loss of 0.
  QRect clipRect() const override {
    return parentPlot()->axisRect()->rect().adjusted(-1, -2, 1, 2);
  }
  void applyDefaultAntialiasingHint(QCPPainter* painter) const override {
    painter->setAntialiasing(true);
  }
  void draw(QCPPainter* painter) override;

 private:
  struct Label {
    QString text;
    QPointF topLeft;
    QColor color;
  };
  void addCurve(const Content& content, std::size_t index, bool isOneRun, CurveLines& drawn);
  void addBands(const Content& content, std::size_t index, CurveLines& drawn);
  void addScatters(const Curve& curve, const CurveSamples& samples, bool isOneRun,
                   const CurveLines& drawn, std::vector<Scatter>& scatters) const;
  void styleLine(const Content& content, std::size_t index, CurveLines& drawn) const;
  void addEventMarks(const std::vector<EventMark>& marks);
  void addMarksAbove(const std::vector<double>& xs);
  void placeLabel(const Curve& curve, const QString& run, XAxis axis, const QColor& color);
  Line toPixels(const Line& line) const;
  void drawLines(QCPPainter* painter) const;
  std::uint64_t keyOf() const;

  std::vector<Scatter> marks_;
  std::uint64_t key_ = 0;
  /// Of the lines, as the replots show them: until the next one is drawn, that of earlier lines.
  struct Picture {
    QImage image;
    double scale = 1;
    std::uint64_t key = 0;
  } picture_;
  bool isReplotting_ = false;  ///< else it draws for a file
  jobs::LatestJob<Picture> drawing_;
  std::function<void()> drawn_;
  std::optional<Label> label_;  ///< at the lowest point of those with markLowest
};

CurveLayers::Impl::Impl(QCustomPlot* plot)
    : QCPLayerable(plot, QStringLiteral("main")), drawing_([this](const Picture& picture) {
        picture_ = picture;
        parentPlot()->replot(QCustomPlot::rpQueuedRefresh);
        drawn_();
      }) {
  connect(plot, &QCustomPlot::beforeReplot, this, [this] { isReplotting_ = true; });
  connect(plot, &QCustomPlot::afterReplot, this, [this] { isReplotting_ = false; });
}

Line CurveLayers::Impl::toPixels(const Line& line) const {
  const PixelMap x = pixelMapOf(parentPlot()->xAxis), y = pixelMapOf(parentPlot()->yAxis);
  Line pixels;
  pixels.reserve(line.size());
  for (const QPointF& point : line) pixels.push_back({x(point.x()), y(point.y())});
  return pixels;
}

/// With the lowest value of those that mark it; nullptr: there is none.
const Curve* lowestOf(const std::vector<Curve>& curves) {
  const Curve* lowest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const Curve& curve : curves) {
    const auto reading = curve.markLowest && curve.source ? curve.source->lowest() : std::nullopt;
    if (!reading || reading->value >= least) continue;
    lowest = &curve;
    least = reading->value;
  }
  return lowest;
}

bool CurveLayers::Impl::build(const Content& content) {
  const Theme& theme = currentTheme();
  const bool isOneRun = !isOfSeveralRuns(content.curves);
  auto built = std::make_shared<Lines>(content.curves.size());
  curves.clear();
  curves.resize(content.curves.size());
  for (std::size_t i = 0; i < curves.size(); ++i) addCurve(content, i, isOneRun, (*built)[i]);
  lines = std::move(built);
  marks_.clear();
  addEventMarks(content.marks);
  addMarksAbove(content.placesAbove);
  label_.reset();
  if (const Curve* labelled = lowestOf(content.curves))
    placeLabel(*labelled, isOneRun ? QString() : labelled->run, content.axis,
               isOneRun ? theme.good : runStyle(labelled->styleIndex, theme).color);
  return std::exchange(key_, keyOf()) != key_;
}

std::uint64_t CurveLayers::Impl::keyOf() const {
  PictureKey key;
  const QRect area = clipRect();
  for (const int side : {area.left(), area.top(), area.width(), area.height()})
    key.add(static_cast<double>(side));
  for (const QCPAxis* axis : {parentPlot()->xAxis, parentPlot()->yAxis}) {
    key.addExactly(axis->range().lower);
    key.addExactly(axis->range().upper);
    key.add(static_cast<std::uint64_t>(axis->scaleType()));
  }
  const auto addScatters = [&](const std::vector<Scatter>& scatters) {
    for (const Scatter& scatter : scatters) {
      key.add(scatter.places);
      key.add(scatter.style.size());
      key.add(std::uint64_t{scatter.style.brush().color().rgba()});
    }
  };
  for (const DrawnCurve& curve : curves) addScatters(curve.scatters);
  for (const CurveLines& curve : *lines) {
    key.add(curve.raw);
    key.add(curve.smooth);
    for (const QPen& pen : {curve.rawPen, curve.smoothPen}) {
      key.add(std::uint64_t{pen.color().rgba()});
      key.add(pen.widthF());
      for (const qreal dash : pen.dashPattern()) key.add(dash);
    }
    for (const CurveLines::Band& band : curve.bands) {
      key.add(std::uint64_t{band.color.rgba()});
      key.add(band.top);
      key.add(band.bottom);
    }
  }
  addScatters(marks_);
  if (label_) {
    key.add(static_cast<std::uint64_t>(qHash(label_->text)));
    key.add(Line{label_->topLeft});
  }
  return key.value();
}

void CurveLayers::Impl::addCurve(const Content& content, std::size_t index, bool isOneRun,
                                 CurveLines& drawn) {
  const CurveSamples& samples = content.samples[index];
  // In a crowd the raw values would be a fog over the smoothed lines.
  if (samples.smooth.empty() || !isCrowd(content.curves)) drawn.raw = toPixels(samples.raw);
  drawn.smooth = toPixels(samples.smooth);
  if (!samples.bandLow.empty())
    drawn.bands.push_back({toPixels(samples.bandHigh), toPixels(samples.bandLow),
                           deviationColor(content.curves[index], currentTheme())});
  curves[index].pointCount = static_cast<int>(samples.raw.size() + samples.smooth.size());
  styleLine(content, index, drawn);
  addScatters(content.curves[index], samples, isOneRun, drawn, curves[index].scatters);
  const int other = content.curves[index].gapTo;
  if (other >= 0 && other < static_cast<int>(content.curves.size()))
    addBands(content, index, drawn);
}

/// The style of a curve depends on whether it is smoothed and on the distance of its points.
void CurveLayers::Impl::styleLine(const Content& content, std::size_t index,
                                  CurveLines& drawn) const {
  const LinePens pens = linePens(content.curves[index], !drawn.smooth.empty(), currentTheme());
  drawn.rawPen = pens.raw;
  drawn.smoothPen = pens.smooth;
  drawn.isSmoothThin = isCrowd(content.curves);
  // With several points per pixel column the line is vertical in it.
  drawn.isRawThin = drawn.isSmoothThin || drawn.raw.size() > content.columns + 1;
}

void CurveLayers::Impl::addScatters(const Curve& curve, const CurveSamples& samples, bool isOneRun,
                                    const CurveLines& drawn, std::vector<Scatter>& scatters) const {
  const Theme& theme = currentTheme();
  const QColor color = drawn.smoothPen.color();
  if (curve.kind == Curve::Kind::Evaluation) {
    // Markers shrink before they touch; below 4 px there are none.
    const double spacingPx =
        parentPlot()->axisRect()->width() / std::max<double>(1, samples.raw.size());
    const double sizePx = std::clamp(spacingPx * 0.6, 3.5, 6.5);
    if (spacingPx >= 4)
      scatters.push_back(
          {evaluationMarker(curve.styleIndex, color, isFilled(curve) ? color : theme.card, sizePx),
           drawn.raw});
  } else {
    scatters.push_back({{QCPScatterStyle::ssDisc, QPen(color, 1), QBrush(color), kIsolatedPointPx},
                        isolatedPoints(drawn.smooth.empty() ? drawn.raw : drawn.smooth)});
  }
  scatters.push_back({{QCPScatterStyle::ssCross, QPen(theme.error, 1.8), Qt::NoBrush, 8},
                      toPixels(samples.nonFinite)});
  const auto lowest = curve.markLowest && curve.source ? curve.source->lowest() : std::nullopt;
  if (!lowest) return;
  // With several runs the ring has the colour of its run.
  const QColor ring = isOneRun ? theme.good : runStyle(curve.styleIndex, theme).color;
  scatters.push_back({{QCPScatterStyle::ssCircle, QPen(ring, 2), Qt::NoBrush, 13},
                      toPixels({{lowest->x, lowest->value}})});
}

void CurveLayers::Impl::addBands(const Content& content, std::size_t index, CurveLines& drawn) {
  const Curve& curve = content.curves[index];
  ShadedGap& gap = curves[index].gap;
  const auto lowest = curve.source ? curve.source->lowest() : std::nullopt;
  gap = shadedGap(content.samples[index], content.samples[static_cast<std::size_t>(curve.gapTo)],
                  lowest ? std::optional(lowest->x) : std::nullopt);
  for (const auto interval : {ShadedGap::UntilLowest, ShadedGap::SinceLowest}) {
    const ShadedGap::Band& band = gap.bands[interval];
    drawn.bands.push_back(
        {toPixels(band.top), toPixels(band.bottom), gapColor(curve, interval, currentTheme())});
  }
}

void CurveLayers::Impl::addEventMarks(const std::vector<EventMark>& marks) {
  const double bottomPx = parentPlot()->axisRect()->bottom();
  for (const PlacedMarks& placed : placeMarks(marks, pixelMapOf(parentPlot()->xAxis))) {
    const QColor color = markColor(placed.kind, currentTheme());
    Scatter scatter{{markShape(placed.kind), QPen(color, 1), QBrush(color), 6}, {}};
    for (const double px : placed.x) scatter.places.push_back({px, bottomPx - placed.abovePx});
    marks_.push_back(std::move(scatter));
  }
}

/// Leaves out marks that would touch the previous one.
void CurveLayers::Impl::addMarksAbove(const std::vector<double>& xs) {
  Scatter scatter{aboveMarker(currentTheme().textMuted), {}};
  const PixelMap toX = pixelMapOf(parentPlot()->xAxis);
  const double yPx = parentPlot()->axisRect()->top() + kMarkFromEdgePx;
  double lastPx = -std::numeric_limits<double>::infinity();
  for (const double x : xs) {
    const double px = toX(x);
    if (px - lastPx < kMarkGapPx) continue;
    scatter.places.push_back({px, yPx});
    lastPx = px;
  }
  marks_.push_back(std::move(scatter));
}

/// Near its point, farther away only where there is no room. None if it would cover a curve: the
/// cursor's readings show the same.
void CurveLayers::Impl::placeLabel(const Curve& curve, const QString& run, XAxis axis,
                                   const QColor& color) {
  const auto lowest = curve.source ? curve.source->lowest() : std::nullopt;
  if (!lowest) return;
  const QPointF point = toPixels({{lowest->x, lowest->value}}).front();
  const QRectF area = QRectF(parentPlot()->axisRect()->rect());
  if (!area.contains(point)) return;
  std::vector<Line> drawn;
  for (const CurveLines& own : *lines)
    for (const Line* line : {&own.raw, &own.smooth}) drawn.push_back(*line);
  const QFontMetricsF metrics(interfaceFont(12, QFont::DemiBold));
  struct Try {
    QString name;
    LabelReach reach;
  };
  for (const auto& [name, reach] :
       {Try{curve.valueName, LabelReach::Near}, Try{QString(), LabelReach::Near},
        Try{curve.valueName, LabelReach::Any}}) {
    const QString text = lowestText(*lowest, name, run, axis);
    const auto place = freePlace(point, {metrics.horizontalAdvance(text), metrics.height()},
                                 area.adjusted(2, kMarkHeightPx, -2, -kMarkHeightPx), drawn, reach);
    if (!place) continue;
    label_ = Label{text, place->topLeft(), color};
    return;
  }
}

void CurveLayers::Impl::draw(QCPPainter* painter) {
  const bool isVector = painter->modes().testFlag(QCPPainter::pmVectorized);
  if (isVector) {
    drawVector(painter, *lines);
  } else {
    drawLines(painter);
  }
  const auto draw = [&](const Scatter& scatter) { drawScatter(painter, scatter, isVector); };
  for (auto curve = curves.rbegin(); curve != curves.rend(); ++curve)
    std::for_each(curve->scatters.begin(), curve->scatters.end(), draw);
  std::for_each(marks_.begin(), marks_.end(), draw);
  if (!label_) return;
  const QFont font = interfaceFont(12, QFont::DemiBold);
  painter->setFont(font);
  painter->setPen(label_->color);
  painter->drawText(label_->topLeft + QPointF(0, QFontMetricsF(font).ascent()), label_->text);
}

/// The picture that is there, which fits again in a moment; a new one for a file, or if none fits
/// the screen.
void CurveLayers::Impl::drawLines(QCPPainter* painter) const {
  const double scale = painter->device()->devicePixelRatioF() * painter->transform().m11();
  const bool isShown =
      isReplotting_ && picture_.scale == scale && (picture_.key == key_ || !drawing_.isIdle());
  painter->setAntialiasing(false);
  painter->drawImage(QRectF(clipRect()),
                     isShown ? picture_.image : pictureOf(*lines, clipRect(), scale));
  painter->setAntialiasing(true);
}

void CurveLayers::Impl::requestPicture(std::function<void()> drawn) {
  drawn_ = std::move(drawn);
  const double scale = parentPlot()->bufferDevicePixelRatio();
  drawing_.request([lines = lines, area = clipRect(), scale, key = key_] {
    return Picture{pictureOf(*lines, area, scale), scale, key};
  });
}

CurveLayers::CurveLayers(QCustomPlot* plot) : impl_(std::make_unique<Impl>(plot)) {}
CurveLayers::~CurveLayers() = default;

bool CurveLayers::show(Content content, std::function<void()> drawn) {
  const bool isOther = impl_->build(content);
  if (isOther) impl_->requestPicture(std::move(drawn));
  return isOther;
}

QString CurveLayers::shadingAt(const std::vector<Curve>& curves, double x, double y) const {
  for (std::size_t i = 0; i < std::min(curves.size(), impl_->curves.size()); ++i) {
    const auto interval = impl_->curves[i].gap.intervalAt(x, y);
    // They may be others than those that are drawn.
    const int gapTo = curves[i].gapTo;
    if (!interval || gapTo < 0 || gapTo >= static_cast<int>(curves.size())) continue;
    const QString &own = curves[i].name, &other = curves[static_cast<std::size_t>(gapTo)].name;
    return interval == ShadedGap::UntilLowest
               ? tr("shaded: between %1 and %2").arg(other, own)
               : tr("shaded: %1 above %2 since its minimum").arg(own, other);
  }
  return {};
}

int CurveLayers::pointCount(int curve) const {
  const auto index = static_cast<std::size_t>(curve);
  return index < impl_->curves.size() ? impl_->curves[index].pointCount : 0;
}

}  // namespace lockstep::widgets
