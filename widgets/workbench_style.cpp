#include "widgets/workbench_style.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLabel>
#include <QPainter>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QStyleOption>
#include <QStyledItemDelegate>
#include <QTabBar>
#include <QTableView>
#include <algorithm>

#include "widgets/control_paint.h"
#include "widgets/literal_text.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kCheckBoxPx = 16;
constexpr QMargins kHeaderPadding(6, 4, 6, 4);

template <typename Option>
const Option& as(const QStyleOption* option) {
  return *qstyleoption_cast<const Option*>(option);
}

QSize grown(const QSize& size, const QMargins& margins) {
  return QRect(QPoint(), size).marginsAdded(margins).size();
}

bool isSmallTabBar(const QWidget* widget) {
  return paint::roleOf(widget) == QLatin1String("small");
}

bool isInPopup(const QWidget* widget) {
  return widget && widget->window()->windowType() == Qt::Popup;
}

/// A copy whose text has this colour, enabled or not.
template <typename Option>
Option withTextColor(const Option& option, QPalette::ColorRole role, const QColor& color) {
  Option copy(option);
  copy.palette.setColor(role, color);
  return copy;
}

paint::Direction directionOf(Qt::ArrowType arrow) {
  return arrow == Qt::UpArrow     ? paint::Direction::Up
         : arrow == Qt::DownArrow ? paint::Direction::Down
         : arrow == Qt::LeftArrow ? paint::Direction::Left
                                  : paint::Direction::Right;
}

QSize headerSize(const QStyleOptionHeader& header) {
  const QSize text = header.fontMetrics.size(0, header.text);
  return grown(text, kHeaderPadding);
}

QSize menuItemSize(const QStyleOptionMenuItem& item, const QSize& contents) {
  constexpr int kSeparatorPx = 9, kShortcutGapPx = 18, kMaxTextPx = 600;
  if (item.menuItemType == QStyleOptionMenuItem::Separator) return {10, kSeparatorPx};
  const int gap = item.text.contains(QLatin1Char('\t')) ? kShortcutGapPx : 0;
  return grown({std::min(contents.width() + gap, scaledPx(kMaxTextPx)), item.fontMetrics.height()},
               paint::kMenuItemPadding);
}

}  // namespace

WorkbenchStyle::WorkbenchStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

void WorkbenchStyle::polish(QWidget* widget) {
  QProxyStyle::polish(widget);
  applyRole(widget);
  if (auto* label = qobject_cast<QLabel*>(widget)) {
    // Texts quote files: an <img> in rich text would make Qt read what it names. Tool tips are
    // labels too.
    if (label->textFormat() == Qt::AutoText) label->setTextFormat(Qt::PlainText);
    if (label->isWindow()) label->setMaximumWidth(label->screen()->availableSize().width());
  } else if (auto* view = qobject_cast<QAbstractItemView*>(widget)) {
    view->setFrameShape(QFrame::NoFrame);
  } else if (auto* area = qobject_cast<QScrollArea*>(widget)) {
    area->setFrameShape(QFrame::NoFrame);
    area->viewport()->setAutoFillBackground(false);
    if (area->widget()) area->widget()->setAutoFillBackground(false);
  } else if (qobject_cast<QScrollBar*>(widget)) {
    widget->setAttribute(Qt::WA_OpaquePaintEvent, false);
  } else if (qobject_cast<QTabBar*>(widget)) {
    widget->setAttribute(Qt::WA_Hover);
  } else if (auto* combo = qobject_cast<QComboBox*>(widget)) {
    combo->setItemDelegate(new QStyledItemDelegate(combo));  // its default one has no margins
  }
}

void WorkbenchStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                                   QPainter* painter, const QWidget* widget) const {
  const Theme& theme = currentTheme();
  switch (element) {
    case PE_PanelButtonCommand:
      return paint::drawBox(*painter, option->rect,
                            paint::buttonLook(*option, paint::roleOf(widget)).box);
    case PE_PanelLineEdit:
      if (widget && qobject_cast<QAbstractSpinBox*>(widget->parentWidget())) return;
      // One in a table has no frame of its own.
      if (as<QStyleOptionFrame>(option).lineWidth == 0)
        return painter->fillRect(option->rect, theme.field);
      return paint::drawInput(*painter, *option, widget);
    case PE_IndicatorCheckBox:
      return paint::drawCheckBox(*painter, *option);
    case PE_Frame:
      return paint::drawFrame(*painter, *option, widget);
    case PE_Widget:
      if (paint::roleOf(widget) == QLatin1String("panel"))
        painter->fillRect(option->rect, theme.panel);
      return;
    case PE_PanelMenu:
      return painter->fillRect(option->rect, theme.card);
    case PE_FrameMenu:
      return paint::drawBox(*painter, option->rect, {{}, theme.cardBorder, 0});
    case PE_PanelTipLabel:
      return paint::drawBox(*painter, option->rect, {theme.field, theme.cardBorder, 0});
    case PE_PanelStatusBar:
      painter->fillRect(option->rect, theme.panel);
      return painter->fillRect(QRect(option->rect.topLeft(), QSize(option->rect.width(), 1)),
                               theme.divider);
    case PE_IndicatorDockWidgetResizeHandle:
      return painter->fillRect(option->rect, theme.divider);
    case PE_IndicatorHeaderArrow: {
      // As on the web, and not as Qt: upwards are rising figures, for which Qt says SortDown.
      const bool isRising =
          as<QStyleOptionHeader>(option).sortIndicator == QStyleOptionHeader::SortDown;
      return paint::drawChevron(*painter, option->rect,
                                isRising ? paint::Direction::Up : paint::Direction::Down,
                                theme.textMuted);
    }
    case PE_FrameFocusRect:  // the frame has the focus' colour
    case PE_FrameDefaultButton:
    case PE_FrameLineEdit:
    case PE_FrameStatusBarItem:
    case PE_FrameTabBarBase:
    case PE_PanelScrollAreaCorner:
      return;
    default:
      return QProxyStyle::drawPrimitive(element, option, painter, widget);
  }
}

void WorkbenchStyle::drawControl(ControlElement element, const QStyleOption* option,
                                 QPainter* painter, const QWidget* widget) const {
  switch (element) {
    case CE_PushButtonLabel: {
      const auto label = withTextColor(as<QStyleOptionButton>(option), QPalette::ButtonText,
                                       paint::buttonLook(*option, paint::roleOf(widget)).text);
      return QProxyStyle::drawControl(element, &label, painter, widget);
    }
    case CE_TabBarTabShape:
      return paint::drawTabShape(*painter, as<QStyleOptionTab>(option));
    case CE_TabBarTabLabel: {
      auto label = withTextColor(as<QStyleOptionTab>(option), QPalette::WindowText,
                                 paint::tabTextColor(as<QStyleOptionTab>(option)));
      label.rect.adjust(0, 0, 0, -1);
      return QProxyStyle::drawControl(element, &label, painter, widget);
    }
    case CE_ItemViewItem: {
      QStyleOptionViewItem item = as<QStyleOptionViewItem>(option);
      item.text = inertText(item.text);
      return QProxyStyle::drawControl(element, &item, painter, widget);
    }
    case CE_MenuItem:
      return paint::drawMenuItem(*painter, as<QStyleOptionMenuItem>(option));
    case CE_HeaderSection:
    case CE_HeaderEmptyArea:
      return painter->fillRect(option->rect, currentTheme().panel);
    case CE_Splitter:
      return painter->fillRect(option->rect, currentTheme().divider);
    case CE_ProgressBar:
      return paint::drawProgressBar(*painter, as<QStyleOptionProgressBar>(option));
    default:
      return QProxyStyle::drawControl(element, option, painter, widget);
  }
}

void WorkbenchStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                        QPainter* painter, const QWidget* widget) const {
  switch (control) {
    case CC_ToolButton:
      return drawToolButton(option, painter, widget);
    case CC_ComboBox:
      paint::drawInput(*painter, *option, widget);
      return paint::drawChevron(
          *painter, subControlRect(control, option, SC_ComboBoxArrow, widget),
          paint::Direction::Down,
          option->state & State_Enabled ? currentTheme().textMuted : currentTheme().textFaint);
    case CC_SpinBox:
      return paint::drawSpinBox(*painter, as<QStyleOptionSpinBox>(option), widget);
    case CC_Slider:
      return paint::drawSlider(*painter, as<QStyleOptionSlider>(option));
    case CC_ScrollBar:
      return paint::drawScrollBar(*painter, as<QStyleOptionSlider>(option));
    default:
      return QProxyStyle::drawComplexControl(control, option, painter, widget);
  }
}

void WorkbenchStyle::drawItemText(QPainter* painter, const QRect& rect, int flags,
                                  const QPalette& palette, bool enabled, const QString& text,
                                  QPalette::ColorRole role) const {
  QProxyStyle::drawItemText(painter, rect, flags, palette, enabled, inertText(text), role);
}

void WorkbenchStyle::drawToolButton(const QStyleOptionComplex* option, QPainter* painter,
                                    const QWidget* widget) const {
  const paint::ButtonLook look = paint::buttonLook(*option, paint::roleOf(widget));
  paint::drawBox(*painter, option->rect, look.box);
  const Qt::ArrowType arrow = as<QStyleOptionToolButton>(option).arrowType;
  if (arrow != Qt::NoArrow)  // a tab bar's scroll buttons have no room for padding
    return paint::drawChevron(*painter, option->rect, directionOf(arrow), look.text);
  auto label = withTextColor(as<QStyleOptionToolButton>(option), QPalette::ButtonText, look.text);
  label.rect = label.rect.marginsRemoved(paint::buttonPadding(widget));
  label.features &= ~QStyleOptionToolButton::HasMenu;  // without an arrow
  drawControl(CE_ToolButtonLabel, &label, painter, widget);
}

QRect WorkbenchStyle::subElementRect(SubElement element, const QStyleOption* option,
                                     const QWidget* widget) const {
  switch (element) {
    case SE_LineEditContents:
      if (as<QStyleOptionFrame>(option).lineWidth == 0) return option->rect;
      return option->rect.marginsRemoved(paint::kInputPadding);
    case SE_HeaderLabel:
      return option->rect.marginsRemoved({kHeaderPadding.left(), 0, kHeaderPadding.right(), 0});
    case SE_HeaderArrow: {
      constexpr int kArrowWidthPx = 8, kArrowHeightPx = 6;
      return {option->rect.center().x() - kArrowWidthPx / 2, option->rect.top(), kArrowWidthPx,
              kArrowHeightPx};
    }
    default:
      return QProxyStyle::subElementRect(element, option, widget);
  }
}

QRect WorkbenchStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option,
                                     SubControl subControl, const QWidget* widget) const {
  const QRect& rect = option->rect;
  if (control == CC_ComboBox && subControl == SC_ComboBoxArrow) {
    return {rect.right() + 1 - paint::kDropDownPx - 1, rect.top(), paint::kDropDownPx,
            rect.height()};
  }
  if (control == CC_SpinBox) {
    if (subControl == SC_SpinBoxUp || subControl == SC_SpinBoxDown)
      return paint::stepArrow(rect, subControl == SC_SpinBoxUp);
    if (subControl == SC_SpinBoxEditField)
      return rect.adjusted(paint::kInputPadding.left(), 1, -paint::kStepsPx, -1);
    return rect;
  }
  if (control == CC_ComboBox && subControl == SC_ComboBoxEditField)
    return rect.adjusted(paint::kInputPadding.left() - 1, 1, -paint::kDropDownPx - 2, -1);
  if (control == CC_Slider && as<QStyleOptionSlider>(option).orientation == Qt::Horizontal) {
    if (subControl == SC_SliderGroove) return paint::sliderGroove(as<QStyleOptionSlider>(option));
    if (subControl == SC_SliderHandle) return paint::sliderHandle(as<QStyleOptionSlider>(option));
  }
  if (control == CC_ScrollBar) {
    const auto& bar = as<QStyleOptionSlider>(option);
    const QRect handle = paint::scrollBarHandle(bar);
    const bool isHorizontal = bar.orientation == Qt::Horizontal;
    switch (subControl) {
      case SC_ScrollBarGroove:
        return rect;
      case SC_ScrollBarSlider:
        return handle;
      case SC_ScrollBarSubPage:
        return isHorizontal ? QRect(rect.topLeft(), QPoint(handle.left() - 1, rect.bottom()))
                            : QRect(rect.topLeft(), QPoint(rect.right(), handle.top() - 1));
      case SC_ScrollBarAddPage:
        return isHorizontal ? QRect(QPoint(handle.right() + 1, rect.top()), rect.bottomRight())
                            : QRect(QPoint(rect.left(), handle.bottom() + 1), rect.bottomRight());
      default:
        return {};  // without buttons at its ends
    }
  }
  return QProxyStyle::subControlRect(control, option, subControl, widget);
}

QSize WorkbenchStyle::sizeFromContents(ContentsType type, const QStyleOption* option,
                                       const QSize& contents, const QWidget* widget) const {
  switch (type) {
    case CT_PushButton:
    case CT_ToolButton:
      return grown(contents, paint::buttonPadding(widget));
    case CT_LineEdit:
      return grown(contents, paint::kInputPadding);
    case CT_SpinBox:  // its line has the padding
      return contents + QSize(paint::kStepsPx, 0);
    case CT_ComboBox:
      return grown(contents, paint::kInputPadding) + QSize(paint::kDropDownPx, 0);
    case CT_HeaderSection:
      return headerSize(as<QStyleOptionHeader>(option));
    case CT_MenuItem:
      return menuItemSize(as<QStyleOptionMenuItem>(option), contents);
    case CT_ItemViewItem: {
      constexpr int kPopupRowPaddingPx = 8;
      const QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
      return isInPopup(widget) ? size + QSize(0, kPopupRowPaddingPx) : size;
    }
    case CT_ProgressBar:
      return {contents.width(), paint::kProgressBarPx};
    default:
      return QProxyStyle::sizeFromContents(type, option, contents, widget);
  }
}

int WorkbenchStyle::pixelMetric(PixelMetric metric, const QStyleOption* option,
                                const QWidget* widget) const {
  switch (metric) {
    case PM_DefaultFrameWidth:
    case PM_DockWidgetFrameWidth:
    case PM_DockWidgetSeparatorExtent:
    case PM_MenuPanelWidth:
      return 1;
    case PM_ScrollBarExtent:
      return paint::kScrollBarPx;
    case PM_SliderLength:
      return paint::kSliderHandlePx;
    case PM_SliderThickness:
    case PM_SliderControlThickness:
      return paint::kSliderHandlePx + 4;
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
      return kCheckBoxPx;
    case PM_CheckBoxLabelSpacing:
      return 7;
    case PM_MenuHMargin:
    case PM_MenuVMargin:
    case PM_ToolTipLabelFrameWidth:
      return 4;
    case PM_FocusFrameHMargin:  // beside the text of a row
      return isInPopup(widget) ? 7
             : qobject_cast<const QTableView*>(widget)
                 ? 4
                 : QProxyStyle::pixelMetric(metric, option, widget);
    case PM_TabBarTabHSpace:
      return isSmallTabBar(widget) ? 20 : 28;
    case PM_TabBarTabVSpace:
      return isSmallTabBar(widget) ? 11 : 19;
    case PM_TabBarTabOverlap:
    case PM_TabBarBaseOverlap:
    case PM_TabBarBaseHeight:
    case PM_TabBarTabShiftHorizontal:
    case PM_TabBarTabShiftVertical:
      return 0;
    default:
      return QProxyStyle::pixelMetric(metric, option, widget);
  }
}

int WorkbenchStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                              QStyleHintReturn* result) const {
  if (hint == SH_Menu_Scrollable) return 1;
  if (hint == SH_ComboBox_Popup) return 0;  // a list below the box, not a menu over it
  return QProxyStyle::styleHint(hint, option, widget, result);
}

}  // namespace lockstep::widgets
