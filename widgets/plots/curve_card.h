#pragma once

#include <QFrame>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "widgets/plots/curve_plot.h"

class QLabel;
class QToolButton;

namespace lockstep::widgets {

class CardLegend;

/// A plot with its title, its legend and its menu (log axes, outliers, export).
class CurveCard : public QFrame {
  Q_OBJECT

 public:
  explicit CurveCard(const QString& title, QWidget* parent = nullptr);

  CurvePlot* plot() const { return plot_; }
  QString title() const { return title_; }
  /// Right of the title when there is no legend: "cosine", "data 9 %".
  void setSubtitle(const QString& text, bool isWarning = false);
  QString subtitle() const;
  /// The curves, told apart in the header; `emptyText` stands in the middle while none has a point.
  void setCurves(std::vector<Curve> curves);
  void setLegendVisible(bool visible);
  /// Told when the pointer rests on the title: the tags that are drawn.
  void setTitleTip(const QString& text);
  void setEmptyText(const QString& text);
  /// Sources have changed.
  void refresh();

 Q_SIGNALS:
  /// Show this card alone, or among the others again.
  void expandRequested();
  /// Show what was predicted at this x.
  void predictionsRequested(double x);
  /// What, where and how to mend it.
  void exportFailed(const QString& why);

 protected:
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void buildUi();
  void connectSignals();
  void openMenu(const QPoint& globalPosition, std::optional<double> x);
  void exportPicture();
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
  std::optional<double> cursorX_;  ///< of the pointer; nothing: it is elsewhere
};

}  // namespace lockstep::widgets
