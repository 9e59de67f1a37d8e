#include "widgets/image_view/explanation_painter.h"

#include <QCoreApplication>
#include <QPainter>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

using Kind = ExplanationScene::Kind;

constexpr double kLinePx = 1.2, kStandsOutPx = 2.6, kHaloPx = 2.0;
/// Of the styles of runs, whose colours everyone can tell apart; not those of verdicts.
constexpr int kAnchorStyle = 2, kProposalStyle = 3;

struct OutlineText {
  Q_DECLARE_TR_FUNCTIONS(ExplanationScene)
};

}  // namespace

QPen explanationPen(Kind kind, const Theme& theme, double widthPx) {
  QPen pen(theme.groundTruth, widthPx);
  pen.setJoinStyle(Qt::BevelJoin);
  pen.setCapStyle(Qt::FlatCap);
  switch (kind) {
    case Kind::Truth:
      break;
    case Kind::MatchedAnchor:
      pen.setColor(runStyle(kAnchorStyle, theme).color);
      pen.setDashPattern({4.0, 2.0});
      break;
    case Kind::Anchor:
      pen.setColor(runStyle(kAnchorStyle, theme).color);
      pen.setDashPattern({1.4, 2.2});
      break;
    case Kind::Proposal:
      pen.setColor(runStyle(kProposalStyle, theme).color);
      pen.setDashPattern({7.0, 2.0, 1.5, 2.0});
      break;
    case Kind::Detection:
      pen.setColor(theme.truePositive);
      break;
  }
  return pen;
}

QString explanationKindName(Kind kind) {
  switch (kind) {
    case Kind::Truth:
      return OutlineText::tr("ground truth");
    case Kind::MatchedAnchor:
      return OutlineText::tr("matched anchor");
    case Kind::Anchor:
      return OutlineText::tr("anchor");
    case Kind::Proposal:
      return OutlineText::tr("proposal");
    case Kind::Detection:
      return OutlineText::tr("detection");
  }
  return {};
}

void drawExplanation(QPainter& painter, const QTransform& view, const QRectF& area,
                     const ExplanationScene& scene, const Theme& theme) {
  painter.save();
  painter.setRenderHint(QPainter::SmoothPixmapTransform, false);  // each cell is one number
  painter.save();
  // Maps reach over the padding of the image.
  painter.setClipRect(view.mapRect(QRectF(QPointF(), QSizeF(scene.imageSize))), Qt::IntersectClip);
  for (const ExplanationScene::Picture& picture : scene.pictures) {
    const QRectF place = view.mapRect(picture.place);
    if (place.intersects(area)) painter.drawImage(place, picture.pixels);
  }
  painter.restore();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(explanationPen(Kind::Detection, theme, kLinePx));
  for (const QPainterPath& outline : scene.outlines)
    if (view.mapRect(outline.controlPointRect()).intersects(area))
      painter.drawPath(view.map(outline));
  for (const ExplanationScene::Box& box : scene.boxes) {
    const QRectF place = view.mapRect(box.place);
    if (!place.adjusted(-kStandsOutPx, -kStandsOutPx, kStandsOutPx, kStandsOutPx).intersects(area))
      continue;
    const double width = box.standsOut ? kStandsOutPx : kLinePx;
    if (box.standsOut || box.kind == Kind::Truth) {
      QPen halo(theme.groundTruthHalo, width + kHaloPx);
      halo.setJoinStyle(Qt::BevelJoin);
      painter.setPen(halo);
      painter.drawRect(place);
    }
    painter.setOpacity(box.strength);
    painter.setPen(explanationPen(box.kind, theme, width));
    painter.drawRect(place);
    painter.setOpacity(1);
  }
  painter.restore();
}

}  // namespace lockstep::widgets
