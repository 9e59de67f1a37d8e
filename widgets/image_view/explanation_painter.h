#pragma once

#include <QPen>
#include <QTransform>

#include "widgets/image_view/explanation_scene.h"

class QPainter;

namespace lockstep::widgets {

struct Theme;

/// Colour and dashes of a kind of box.
QPen explanationPen(ExplanationScene::Kind kind, const Theme& theme, double widthPx);
/// What a kind of box is.
QString explanationKindName(ExplanationScene::Kind kind);

/// Draws a scene over an image. `view` maps image px to widget px; what lies outside of `area`,
/// widget px, may be left out.
void drawExplanation(QPainter& painter, const QTransform& view, const QRectF& area,
                     const ExplanationScene& scene, const Theme& theme);

}  // namespace lockstep::widgets
