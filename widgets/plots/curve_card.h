#pragma once

#include <QFrame>
#include <QString>
#include <QStringList>
#include <memory>
#include <optional>
#include <vector>

#include "widgets/plots/curve_plot.h"

class QLabel;
class QMenu;
class QToolButton;

namespace lockstep::widgets {

class CardLegend;

/// A plot with a title, a legend and a menu (log axes, outliers, export).
class CurveCard : public QFrame {
  Q_OBJECT

 public:
  /// `queue`: of its plot.
  explicit CurveCard(const QString& title, DrawQueue* queue = nullptr, QWidget* parent = nullptr);

  CurvePlot* plot() const { return plot_; }
  QString title() const { return title_; }
  /// Text at the right of the title: "cosine", "data 9 %".
  void setSubtitle(const QString& text, bool isWarning = false);
  QString subtitle() const;
  /// Sets the curves of the plot and of the legend.
  void setCurves(std::vector<Curve> curves);
  void setLegendVisible(bool visible);
  /// Of the plot. Their kinds are in the legend.
  void setEventMarks(std::vector<EventMark> marks);
  /// Names of curves and kinds of marks that are not drawn; the legend has them, dimmed.
  void setHidden(const QStringList& names);
  const QStringList& hidden() const { return hidden_; }
  /// Tooltip of the title: the tags that are drawn.
  void setTitleTip(const QString& text);
  /// Below the plot; owned by the card.
  void setFooter(QWidget* footer);
  /// Text in the middle of the plot while no curve has a point.
  void setEmptyText(const QString& text);
  /// Instead of it: why nothing is drawn although there are points; empty: nothing is left out.
  void setHiddenText(const QString& text);
  /// Call it when the sources have changed.
  void refresh();

 Q_SIGNALS:
  /// Maximize this card, or restore it.
  void expandRequested();
  /// Show the predictions of the step at this x.
  void predictionsRequested(double x);
  /// Write it to a file or the clipboard.
  void exportRequested();
  /// By a person, in the legend.
  void hiddenChanged();
  /// It was dragged by its head to here.
  void dropped(const QPoint& globalPosition);
  /// The card's menu is about to open: entries can be added.
  void menuOpened(QMenu* menu);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void buildUi(DrawQueue* queue);
  void connectSignals();
  void updateLegend();
  void showCurves();
  void showMarks();
  void toggle(const QString& name);
  void openMenu(const QPoint& globalPosition, std::optional<double> x);
  void updateEmptyText();
  void updateIcons();

  QString title_;
  QLabel* titleLabel_ = nullptr;
  QLabel* subtitle_ = nullptr;
  QLabel* empty_ = nullptr;
  CardLegend* legend_ = nullptr;
  QToolButton* resetButton_ = nullptr;
  QToolButton* menuButton_ = nullptr;
  CurvePlot* plot_ = nullptr;
  QString emptyText_, hiddenText_;
  std::vector<Curve> curves_;  ///< also those that are hidden
  std::vector<EventMark> marks_;
  QStringList hidden_;
  bool hasLegend_ = true;
  std::optional<QPoint> pressedAt_;  ///< in the head
  bool isDragged_ = false;
  std::optional<double> cursorX_;  ///< of the pointer, if it is in the plot
};

}  // namespace lockstep::widgets
