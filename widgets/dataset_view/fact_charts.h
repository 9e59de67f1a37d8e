#pragma once

#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "engine/dataset_check/fact_bars.h"

class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace lockstep::widgets {

class BarChart;
class ClassBars;
class ClassPairMap;
class HistogramChart;

/// What a part of a dataset consists of, as charts under each other. One bar of all of them can be
/// chosen.
class FactCharts : public QWidget {
  Q_OBJECT

 public:
  explicit FactCharts(QWidget* parent = nullptr);

  /// nullptr: none.
  void setPart(const dataset_check::CountedPart* part);
  void clearChoice();

 Q_SIGNALS:
  /// A person chose a bar; `title` says which. std::nullopt: none any more.
  void barChosen(const std::optional<lockstep::dataset_check::FactBar>& bar, const QString& title);

 private:
  using Of = dataset_check::FactBar::Of;
  void buildUi();
  void addChart(const QString& title, BarChart* chart, Of of);
  /// Bins from the first to the last with counts. nameOf: of the edge of a bin. tipOf: of a count,
  /// with %1 and %2 for the edges of its bin.
  void showHistogram(HistogramChart* chart, const dataset_check::Histogram& histogram,
                     const std::function<QString(double)>& nameOf,
                     const std::function<QString(int)>& tipOf);
  void showClasses(const dataset_check::CountedPart& part);
  void showSizes(const dataset_check::CountedPart& part);
  void showPairs(const dataset_check::CountedPart& part);
  void choose(const BarChart* chart, int bar);

  struct Chart {
    BarChart* chart = nullptr;
    QLabel* heading = nullptr;
    QLabel* note = nullptr;  ///< under the heading
    Of of = Of::Class;
    std::vector<std::size_t> indices{};  ///< of the facts, of each bar
  };
  Chart& chartOf(const BarChart* chart);

  QVBoxLayout* column_ = nullptr;
  QScrollArea* classScroll_ = nullptr;
  ClassBars* classes_ = nullptr;
  HistogramChart* sizes_ = nullptr;
  HistogramChart* ratios_ = nullptr;
  HistogramChart* crowding_ = nullptr;
  ClassPairMap* pairs_ = nullptr;
  std::vector<Chart> charts_;
};

}  // namespace lockstep::widgets
