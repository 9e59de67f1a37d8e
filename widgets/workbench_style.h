#pragma once

#include <QProxyStyle>

namespace lockstep::widgets {

/// How controls look: Fusion's behaviour, flat, in the colours of currentTheme(). Colours are read
/// while painting, so that a change of theme is a repaint; a style sheet would match its rules with
/// each of a thousand widgets anew, which takes half a second.
class WorkbenchStyle : public QProxyStyle {
 public:
  WorkbenchStyle();

  using QProxyStyle::polish;
  void polish(QWidget* widget) override;

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget) const override;
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                          QPainter* painter, const QWidget* widget) const override;
  void drawItemText(QPainter* painter, const QRect& rect, int flags, const QPalette& palette,
                    bool enabled, const QString& text, QPalette::ColorRole role) const override;

  QRect subElementRect(SubElement element, const QStyleOption* option,
                       const QWidget* widget) const override;
  QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option,
                       SubControl subControl, const QWidget* widget) const override;
  QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                         const QWidget* widget) const override;
  int pixelMetric(PixelMetric metric, const QStyleOption* option,
                  const QWidget* widget) const override;
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* result) const override;

 private:
  void drawToolButton(const QStyleOptionComplex* option, QPainter* painter,
                      const QWidget* widget) const;
};

}  // namespace lockstep::widgets
