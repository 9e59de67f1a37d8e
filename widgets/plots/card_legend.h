#pragma once

#include <QPen>
#include <QStringList>
#include <optional>
#include <vector>

#include "widgets/curves/curve_source.h"
#include "widgets/plots/entry_strip.h"

namespace lockstep::widgets {

struct Theme;

/// What a legend lists of curves.
struct LegendEntry {
  Curve curve;
  QString text;
  bool anyRun = false;                    ///< a kind of curve of several runs: without colour
  std::optional<EventMark::Kind> mark{};  ///< of marks, not of a curve

  QPen pen(const Theme& theme) const;
};
/// With several runs only the kinds of curves.
std::vector<LegendEntry> legendEntries(const std::vector<Curve>& curves);

/// The names of the curves and of the kinds of marks, with samples, in one line; those that do not
/// fit are counted at the right end. With several runs it lists only the kinds of curves, and
/// RunLegend lists the runs.
class CardLegend : public EntryStrip {
  Q_OBJECT

 public:
  explicit CardLegend(QWidget* parent = nullptr);
  /// `hidden`: names of entries.
  void setContent(const std::vector<Curve>& curves, const std::vector<EventMark::Kind>& marks = {},
                  const QStringList& hidden = {});
  QString nameOf(int entry) const { return named(static_cast<std::size_t>(entry)).name; }
  /// Those that fit.
  QStringList shownNames() const;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  Places placesIn(int width) const override;
  void paintEvent(QPaintEvent* event) override;

 private:
  /// px.
  struct Spacing {
    int sample, toName, between;
  };
  int widthOf(std::size_t entry, const Spacing& spacing) const;
  int widthOfAll(const Spacing& spacing) const;
  /// Narrower where not all fit otherwise.
  Spacing fittingSpacing(int width) const;
  std::size_t fittingCount(const Spacing& spacing, int width) const;
  void paintEntry(QPainter* painter, std::size_t entry, const QRect& place,
                  const Spacing& spacing) const;
  QPen penOf(std::size_t entry) const;

  static constexpr Spacing kWide{22, 6, 16}, kNarrow{16, 4, 8};
  std::vector<LegendEntry> entries_;
};

}  // namespace lockstep::widgets
