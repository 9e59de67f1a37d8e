#pragma once

#include <QPen>
#include <QStringList>
#include <QWidget>
#include <vector>

#include "widgets/curves/curve_source.h"

namespace lockstep::widgets {

struct Theme;

/// What a legend lists of curves.
struct LegendEntry {
  Curve curve;
  QString text;
  bool anyRun = false;  ///< a kind of curve of several runs: without colour

  QPen pen(const Theme& theme) const;
};
/// With several runs only the kinds of curves.
std::vector<LegendEntry> legendEntries(const std::vector<Curve>& curves);

/// The names of the curves with samples of their pens, in one line; those that do not fit are
/// counted at the right end. With several runs it lists only the kinds of curves, and RunLegend
/// lists the runs.
class CardLegend : public QWidget {
  Q_OBJECT

 public:
  explicit CardLegend(QWidget* parent = nullptr);
  void setCurves(const std::vector<Curve>& curves);
  /// Those that fit.
  QStringList shownNames() const;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  /// px.
  struct Spacing {
    int sample, toName, between;
  };
  int widthOf(const LegendEntry& entry, const Spacing& spacing) const;
  int widthOfAll(const Spacing& spacing) const;
  /// Narrower where not all fit otherwise.
  Spacing fittingSpacing() const;
  std::size_t fittingCount(const Spacing& spacing) const;

  static constexpr Spacing kWide{22, 6, 16}, kNarrow{16, 4, 8};
  std::vector<LegendEntry> entries_;
};

}  // namespace lockstep::widgets
