#include "widgets/image_view/canvas_painter.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "widgets/curves/number_text.h"
#include "widgets/image_view/fill_tiles.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/place_beside.h"
#include "widgets/image_view/thinned_path.h"
#include "widgets/image_view/verdict_style.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr double kPixelsAreSquaresFrom = 4.0;
constexpr double kLabelPaddingPx = 3.0;
constexpr double kSmallestLabelledSidePx = 20.0;
constexpr double kMinWidthOfLabel = 0.7;  ///< width of the object, as a fraction of its label's

struct FactCardText {
  Q_DECLARE_TR_FUNCTIONS(CanvasPainter)
};

/// Facts of an instance as rows of name and value.
std::vector<std::pair<QString, QString>> factRows(const CanvasScene::Instance& instance) {
  const InstanceFacts& facts = instance.facts;
  std::vector<std::pair<QString, QString>> rows;
  if (std::isfinite(facts.score)) {
    rows.emplace_back(FactCardText::tr("score"), QString::number(facts.score, 'f', 3));
  }
  if (facts.verdict != Verdict::Missed || facts.iou > 0) {
    const QString iou = QString::number(facts.shownIou(), 'f', 3);
    const bool isOfOther =
        !instance.objectName.isEmpty() && instance.objectName != instance.className;
    rows.emplace_back(
        FactCardText::tr("IoU"),
        isOfOther ? FactCardText::tr("%1 with %2").arg(iou, instance.objectName) : iou);
  }
  rows.emplace_back(FactCardText::tr("area"),
                    FactCardText::tr("%1 px²").arg(countText(std::llround(facts.areaPx))));
  rows.emplace_back(FactCardText::tr("box"), FactCardText::tr("%1 × %2 px")
                                                 .arg(facts.boxXywh[2], 0, 'f', 0)
                                                 .arg(facts.boxXywh[3], 0, 'f', 0));
  const QString verdict = verdictName(facts.verdict);
  const bool namesError = !instance.errorText().isEmpty() && facts.verdict != Verdict::Missed;
  rows.emplace_back(FactCardText::tr("match"),
                    namesError ? verdict % QStringLiteral(", ") % instance.errorText() : verdict);
  if (!instance.whyMissed.isEmpty()) rows.emplace_back(FactCardText::tr("why"), instance.whyMissed);
  return rows;
}

/// Where the texts of a card of facts stand in it; long values are wrapped, so that it fits into a
/// narrow area.
struct FactsLayout {
  struct Row {
    QString nameText, valueText;
    QRectF name, value;
  };
  QFont titleFont = interfaceFont(12, QFont::DemiBold), rowFont = interfaceFont(11);
  std::vector<Row> rows;
  double width = 0, height = 0;

  FactsLayout(const std::vector<std::pair<QString, QString>>& texts, const QString& title,
              double areaWidth) {
    const QFontMetricsF metrics(rowFont), titleMetrics(titleFont);
    double nameWidth = 0;
    for (const auto& [name, value] : texts)
      nameWidth = std::max(nameWidth, metrics.horizontalAdvance(name));
    const double valueLeft = 10 + nameWidth + 12;
    const double mostWidth = std::max(std::min<double>(scaledPx(220), areaWidth - valueLeft - 18),
                                      static_cast<double>(scaledPx(60)));
    double y = 7 + titleMetrics.height() + 4, valueWidth = 0;
    for (const auto& [name, value] : texts) {
      const QRectF bounds =
          metrics.boundingRect(QRectF(0, 0, mostWidth, 1e4), Qt::TextWordWrap, value);
      rows.push_back({name, value, QRectF(10, y, nameWidth + 1, metrics.height()),
                      QRectF(valueLeft, y, bounds.width() + 1, bounds.height())});
      valueWidth = std::max(valueWidth, bounds.width() + 1);
      y += bounds.height() + 2;
    }
    width = std::max(valueLeft + valueWidth, 24 + titleMetrics.horizontalAdvance(title)) + 10;
    height = y + 7;
  }
  QSizeF size() const { return {width, height}; }
};

/// Missed objects are shown and hidden with the ground truth.
bool isDrawn(const CanvasScene::Instance& instance, const CanvasLayers& layers) {
  return layers.groundTruth || instance.facts.verdict != Verdict::Missed;
}

/// Its dashes stand for the verdict, whatever the colour stands for.
QPen penOf(const CanvasScene::Instance& instance, const Theme& theme, double widthPx) {
  QPen pen = verdictPen(instance.facts.verdict, theme, widthPx);
  pen.setColor(instance.colour);
  return pen;
}

}  // namespace

QRectF CanvasPainter::visibleImageRect() const { return view_.inverted().mapRect(area_); }

/// Of the screen.
double CanvasPainter::pixelsPerImagePixel() const {
  return view_.m11() * painter_.device()->devicePixelRatioF();
}

/// Whether a line around it, or what stands out of it, is to be seen.
bool CanvasPainter::isInArea(const QRectF& imageRect) const {
  constexpr double kWidestLinePx = 8;
  return view_.mapRect(imageRect)
      .adjusted(-kWidestLinePx, -kWidestLinePx, kWidestLinePx, kWidestLinePx)
      .intersects(area_);
}

/// The path in widget px.
QPainterPath CanvasPainter::onScreen(const QPainterPath& path) const {
  return thinned(path, view_, 1 / painter_.device()->devicePixelRatioF());
}

/// Draws what is visible of a picture that stands at `place`, image px.
void CanvasPainter::drawPicture(const QImage& picture, const QRectF& place) {
  constexpr int kBesidePx = 3;  // which smooth scaling looks at, and it cuts at the edge
  const double ratioX = picture.width() / place.width();
  const double ratioY = picture.height() / place.height();
  const QRectF visible = visibleImageRect().intersected(place).translated(-place.topLeft());
  if (visible.isEmpty()) return;
  const QRect source = QRectF(visible.x() * ratioX, visible.y() * ratioY, visible.width() * ratioX,
                              visible.height() * ratioY)
                           .toAlignedRect()
                           .adjusted(-kBesidePx, -kBesidePx, kBesidePx, kBesidePx)
                           .intersected(picture.rect());
  const QRectF target(source.x() / ratioX, source.y() / ratioY, source.width() / ratioX,
                      source.height() / ratioY);
  painter_.drawImage(view_.mapRect(target.translated(place.topLeft())), picture, QRectF(source));
}

void CanvasPainter::drawImage(const ImageLevels& levels) {
  painter_.setRenderHint(QPainter::SmoothPixmapTransform, view_.m11() < kPixelsAreSquaresFrom);
  drawPicture(levels.levelFor(pixelsPerImagePixel()), QRectF(QPointF(), QSizeF(levels.size())));
}

/// The copies that the scene has, of a part of the view, widget px.
void CanvasPainter::drawKeptFills(const ImageLevels& kept, const QRectF& part) {
  painter_.save();
  painter_.setClipRect(part, Qt::IntersectClip);
  painter_.setRenderHint(QPainter::SmoothPixmapTransform);
  drawPicture(kept.levelFor(pixelsPerImagePixel()), QRectF(QPointF(), QSizeF(kept.size())));
  painter_.restore();
}

/// A pixel of a mask is never blurred over others. The scene has no copies of this size of those of
/// a large image that is not shown small.
void CanvasPainter::drawFills(const CanvasScene& scene, bool ofMissed) {
  const ImageLevels& kept = ofMissed ? scene.missedMasks : scene.masks;
  if (kept.isNull()) return;
  const double scale = pixelsPerImagePixel();
  painter_.setRenderHint(QPainter::SmoothPixmapTransform, scale < 1);
  const QRect image(QPoint(), scene.imageSize);
  if (kept.has(scale))
    return drawPicture(kept.levelFor(scale), QRectF(QPointF(), QSizeF(kept.size())));
  if (tiles_ != nullptr)
    return tiles_->draw(painter_, view_, area_, ofMissed,
                        [&](const QRectF& part) { drawKeptFills(kept, part); });
  const QRect visible = visibleImageRect().toAlignedRect().adjusted(-2, -2, 2, 2) & image;
  if (visible.isEmpty()) return;
  drawPicture(paintMasks(scene.imageSize, visible, scene.fills(ofMissed)), visible);
}

void CanvasPainter::drawScene(const CanvasScene& scene, const CanvasLayers& layers) {
  if (layers.masks && layers.fillPercent > 0) {
    painter_.setOpacity(layers.fillPercent / 100.0);
    if (layers.groundTruth) drawFills(scene, /*ofMissed=*/true);
    drawFills(scene, /*ofMissed=*/false);
    painter_.setOpacity(1.0);
  }
  painter_.setRenderHint(QPainter::Antialiasing);
  if (layers.groundTruth || layers.crowds) drawGroundTruths(scene, layers);
  drawInstances(scene, layers);
}

void CanvasPainter::drawGroundTruths(const CanvasScene& scene, const CanvasLayers& layers) {
  QPen halo(theme_.groundTruthHalo, 2.4);
  QPen line(theme_.groundTruth, 1.0);
  QPen chosen(theme_.accent, 2.4);
  for (QPen* pen : {&halo, &line, &chosen}) pen->setJoinStyle(Qt::BevelJoin);
  painter_.setBrush(Qt::NoBrush);
  for (const CanvasScene::GroundTruth& truth : scene.groundTruths) {
    if (!(truth.isCrowd ? layers.crowds : layers.groundTruth)) continue;
    if (truth.isMissed && (layers.masks || layers.boxes)) continue;  // drawn by drawInstances()
    if (!isInArea(truth.box | truth.outline.controlPointRect())) continue;
    line.setStyle(truth.isCrowd ? Qt::DashDotLine : Qt::SolidLine);
    QPainterPath shape = layers.masks ? onScreen(truth.outline) : QPainterPath();
    if (shape.isEmpty() && (layers.masks || layers.boxes)) shape.addRect(view_.mapRect(truth.box));
    const QPen own = truth.isChosen ? chosen : line;
    for (const QPen& pen : {halo, own}) {
      painter_.setPen(pen);
      painter_.drawPath(shape);
    }
  }
}

void CanvasPainter::drawInstances(const CanvasScene& scene, const CanvasLayers& layers) {
  QPen missedHalo(theme_.groundTruthHalo, 2.4);
  missedHalo.setJoinStyle(Qt::BevelJoin);
  painter_.setBrush(Qt::NoBrush);
  // Best first, so that errors are drawn on top.
  for (auto instance = scene.instances.rbegin(); instance != scene.instances.rend(); ++instance) {
    if (!isDrawn(*instance, layers)) continue;
    if (!isInArea(instance->box | instance->outline.controlPointRect())) continue;
    if (layers.masks) {
      const QPainterPath outline = onScreen(instance->outline);
      if (instance->facts.verdict == Verdict::Missed) {
        painter_.setPen(missedHalo);  // dots alone are lost on a bright image
        painter_.drawPath(outline);
      }
      painter_.setPen(penOf(*instance, theme_, 1.8));
      painter_.drawPath(outline);
    }
    if (layers.boxes) {
      painter_.setPen(penOf(*instance, theme_, 1.0));
      painter_.drawRect(view_.mapRect(instance->box));
    }
  }
}

/// Errors get their labels first, and those that are not much wider than their object before the
/// others, which take what room is left. A label that would cover another is left out; hovering
/// over the instance shows its facts.
void CanvasPainter::drawLabels(const CanvasScene& scene, const CanvasLayers& layers) {
  painter_.setRenderHint(QPainter::Antialiasing);
  painter_.setFont(interfaceFont(10, QFont::DemiBold));
  std::vector<QRectF> taken;
  std::vector<const CanvasScene::Instance*> narrow;
  const auto colourOf = [](const CanvasScene::Instance& instance) {
    return instance.facts.isError() ? verdictColor(instance.facts.verdict, darkTheme())
                                    : darkTheme().text;
  };
  const auto fullText = [&](const CanvasScene::Instance& instance) {
    return scene.hasSeveralClasses ? instance.className % QLatin1Char(' ') % instance.label
                                   : instance.label;
  };
  for (const CanvasScene::Instance& instance : scene.instances)
    if (isDrawn(instance, layers) &&
        !drawLabel(view_.mapRect(instance.box), {{fullText(instance), false}}, colourOf(instance),
                   taken))
      narrow.push_back(&instance);
  for (const CanvasScene::Instance* instance : narrow) {
    const bool mayBeWider = scene.hasSeveralClasses || instance->facts.verdict != Verdict::Missed;
    if (!mayBeWider) continue;
    std::vector<LabelText> texts{{fullText(*instance), true}};
    if (scene.hasSeveralClasses) texts.push_back({instance->label, true});
    drawLabel(view_.mapRect(instance->box), texts, colourOf(*instance), taken);
  }
  if (!scene.instances.empty() || !scene.hasSeveralClasses || !layers.groundTruth) return;
  for (const CanvasScene::GroundTruth& truth : scene.groundTruths)
    drawLabel(view_.mapRect(truth.box), {{truth.className, false}}, darkTheme().text, taken);
}

/// Draws the first text that has room on the upper edge of the box; false: none has.
bool CanvasPainter::drawLabel(const QRectF& box, const std::vector<LabelText>& texts,
                              const QColor& colour, std::vector<QRectF>& taken) {
  const QFontMetricsF metrics(painter_.font());
  if (std::max(box.width(), box.height()) < kSmallestLabelledSidePx || !area_.intersects(box))
    return false;
  const auto chipOf = [&](double width) {
    return QRectF(std::clamp(box.left(), 0.0, std::max(0.0, area_.width() - width)),
                  std::max(0.0, box.top() - metrics.height() / 2), width, metrics.height());
  };
  const auto isFree = [&](const QRectF& chip) {
    return std::none_of(taken.begin(), taken.end(),
                        [&](const QRectF& other) { return other.intersects(chip); });
  };
  if (!isFree(chipOf(2 * kLabelPaddingPx))) return false;  // no text needs less
  for (const LabelText& label : texts) {
    const QRectF chip = chipOf(metrics.horizontalAdvance(label.text) + 2 * kLabelPaddingPx);
    if (!label.mayBeWider && box.width() < kMinWidthOfLabel * chip.width()) continue;
    if (!isFree(chip)) continue;
    taken.push_back(chip);
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(theme_.labelGround);
    painter_.drawRoundedRect(chip, 2, 2);
    painter_.setPen(colour);
    painter_.drawText(chip, Qt::AlignCenter, label.text);
    return true;
  }
  return false;
}

void CanvasPainter::drawHighlight(const CanvasScene::Instance& instance) {
  painter_.setRenderHint(QPainter::Antialiasing);
  QPainterPath shape = view_.map(instance.outline);
  if (shape.isEmpty()) shape.addRect(view_.mapRect(instance.box));
  QPen halo(theme_.groundTruth, 5.0);
  halo.setJoinStyle(Qt::RoundJoin);
  painter_.setPen(halo);
  painter_.setBrush(Qt::NoBrush);
  painter_.drawPath(shape);
  painter_.setPen(QPen(instance.colour, 2.6));
  painter_.drawPath(shape);
}

void CanvasPainter::drawFacts(const CanvasScene::Instance& instance) {
  const FactsLayout facts(factRows(instance), instance.className, area_.width());
  const QRectF card = placeBeside(facts.size(), view_.mapRect(instance.box), area_.size());
  painter_.setPen(QPen(theme_.cardBorder, 1));
  painter_.setBrush(theme_.card);
  painter_.drawRoundedRect(card, 6, 6);
  paintVerdictMark(painter_, QRectF(card.left() + 10, card.top() + 11, 8, 8),
                   instance.facts.verdict, theme_);
  painter_.setFont(facts.titleFont);
  painter_.setPen(theme_.text);
  painter_.drawText(card.topLeft() + QPointF(24, 7 + QFontMetricsF(facts.titleFont).ascent()),
                    instance.className);
  painter_.setFont(facts.rowFont);
  for (const FactsLayout::Row& row : facts.rows) {
    painter_.setPen(theme_.textMuted);
    painter_.drawText(row.name.translated(card.topLeft()), Qt::TextWordWrap, row.nameText);
    painter_.setPen(theme_.text);
    painter_.drawText(row.value.translated(card.topLeft()), Qt::TextWordWrap, row.valueText);
  }
}

}  // namespace lockstep::widgets
