#include "widgets/dataset_view/fact_charts.h"

#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "widgets/bars/histogram_chart.h"
#include "widgets/curves/number_text.h"
#include "widgets/dataset_view/class_bars.h"
#include "widgets/dataset_view/class_pair_map.h"
#include "widgets/instances/class_name.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

using dataset_check::CountedPart;
using dataset_check::Histogram;

constexpr int kMostClassRows = 12;  ///< in view; the others are scrolled to
constexpr std::size_t kMostPairedClasses = 80;

QString percent(std::int64_t part, std::int64_t all) {
  return QString::number(
             all == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(all), 'f',
             0) %
         QStringLiteral(" %");
}

/// 0.5 as "1:2", 4 as "4:1"; empty: no power of two.
QString ratioName(double ratio) {
  const double power = std::log2(ratio);
  if (std::abs(power - std::round(power)) > 1e-6) return {};
  return power < 0 ? QStringLiteral("1:%1").arg(std::round(1 / ratio))
                   : QStringLiteral("%1:1").arg(std::round(ratio));
}

QString powerOfTwoName(double value) {
  const double power = std::log2(value);
  return std::abs(power - std::round(power)) > 1e-6 ? QString()
                                                    : QString::number(std::round(value));
}

/// Places of the classes, the most objects first.
std::vector<std::size_t> byObjects(const CountedPart& part) {
  std::vector<std::size_t> order(part.facts.classes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t i) { return part.facts.classes[i].objects; });
  return order;
}

}  // namespace

FactCharts::FactCharts(QWidget* parent) : QWidget(parent) { buildUi(); }

void FactCharts::buildUi() {
  column_ = new QVBoxLayout(this);
  column_->setContentsMargins(0, 0, 8, 8);
  column_->setSpacing(4);
  classes_ = new ClassBars;
  classScroll_ = new QScrollArea;
  classScroll_->setFrameShape(QFrame::NoFrame);
  classScroll_->setWidgetResizable(true);
  classScroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  classScroll_->setFocusPolicy(Qt::NoFocus);
  classScroll_->setWidget(classes_);
  sizes_ = new HistogramChart;
  ratios_ = new HistogramChart;
  crowding_ = new HistogramChart;
  pairs_ = new ClassPairMap;
  pairs_->setMinimumHeight(scaledPx(220));
  addChart(tr("Classes, by number of objects"), classes_, Of::Class);
  addChart(tr("Object sizes after resizing, px"), sizes_, Of::Side);
  addChart(tr("Aspect ratios, height to width"), ratios_, Of::AspectRatio);
  addChart(tr("Objects per image"), crowding_, Of::ObjectsPerImage);
  addChart(tr("Classes together in an image"), pairs_, Of::ClassPair);
  column_->addStretch();
  connect(classes_, &ClassBars::cursorMoved, this, [this](const QRect& place) {
    classScroll_->ensureVisible(place.center().x(), place.center().y(), 0, place.height());
  });
}

void FactCharts::addChart(const QString& title, BarChart* chart, Of of) {
  auto* heading = new QLabel(title);
  setRole(heading, "section");
  auto* note = new QLabel;
  note->setWordWrap(true);
  note->setFont(interfaceFont(11));
  setRole(note, "muted");
  chart->setAccessibleName(title);
  column_->addWidget(heading);
  column_->addWidget(note);
  column_->addWidget(chart == classes_ ? static_cast<QWidget*>(classScroll_) : chart);
  column_->addSpacing(10);
  charts_.push_back({chart, heading, note, of});
  connect(chart, &BarChart::barChosen, this, [this, chart](int bar) { choose(chart, bar); });
}

FactCharts::Chart& FactCharts::chartOf(const BarChart* chart) {
  return *std::ranges::find(charts_, chart, &Chart::chart);
}

void FactCharts::setPart(const CountedPart* part) {
  setVisible(part != nullptr);
  if (!part) return;
  const dataset_check::PartFacts& facts = part->facts;
  showClasses(*part);
  showSizes(*part);
  showHistogram(ratios_, facts.aspectRatios, ratioName, [](int count) {
    return tr("%Ln object(s) with a box of height / width %1 to %2", "", count);
  });
  chartOf(ratios_).note->hide();
  showHistogram(
      crowding_, facts.objectsPerImage, [](double edge) { return QString::number(edge); },
      [](int count) {
        return tr("%Ln image(s) with %1 to %2 objects (%2 not included)", "", count);
      });
  chartOf(crowding_).note->setText(
      facts.objects == 0 ? tr("No image has an object")
                         : tr("%1 to %2, %3 on average; most in %4")
                               .arg(countText(facts.fewestObjects), countText(facts.mostObjects))
                               .arg(facts.meanObjects, 0, 'f', 1)
                               .arg(QString::fromStdString(facts.mostCrowdedFile)));
  showPairs(*part);
}

void FactCharts::showHistogram(HistogramChart* chart, const Histogram& histogram,
                               const std::function<QString(double)>& nameOf,
                               const std::function<QString(int)>& tipOf) {
  std::vector<std::size_t>& indices = chartOf(chart).indices;
  indices.clear();
  std::vector<BarChart::Bar> bars;
  const auto isFilled = [](std::int64_t count) { return count > 0; };
  const auto first = std::ranges::find_if(histogram.counts, isFilled) - histogram.counts.begin();
  const auto end =
      std::find_if(histogram.counts.rbegin(), histogram.counts.rend(), isFilled).base() -
      histogram.counts.begin();
  for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(end); ++i) {
    const double from = histogram.edges[i], to = histogram.edges[i + 1];
    bars.push_back(
        {nameOf(from), histogram.counts[i],
         tipOf(static_cast<int>(histogram.counts[i])).arg(from, 0, 'g', 3).arg(to, 0, 'g', 3)});
    indices.push_back(i);
  }
  chart->setBars(std::move(bars));
  chart->setEnd(end > first ? nameOf(histogram.edges[static_cast<std::size_t>(end)]) : QString());
}

void FactCharts::showClasses(const CountedPart& part) {
  std::vector<BarChart::Bar> bars;
  chartOf(classes_).indices = byObjects(part);
  for (const std::size_t place : chartOf(classes_).indices) {
    const dataset_check::ClassFacts& facts = part.facts.classes[place];
    const QString name = nameOf(facts.category);
    bars.push_back({name, facts.objects,
                    tr("%1: %2 in %3 of %Ln image(s)", "", static_cast<int>(part.facts.images))
                        .arg(name, tr("%Ln object(s)", "", static_cast<int>(facts.objects)),
                             countText(facts.images))});
  }
  const auto unused =
      std::ranges::count(part.facts.classes, std::int64_t{0}, &dataset_check::ClassFacts::objects);
  const QString count = tr("%Ln class(es)", "", static_cast<int>(bars.size()));
  chartOf(classes_).note->setText(
      unused == 0 ? count : tr("%1, %2 of them without objects").arg(count, countText(unused)));
  classes_->setBars(std::move(bars));
  const int row = classes_->bars().empty() ? 1 : static_cast<int>(classes_->placeOf(0).height());
  classScroll_->setFixedHeight(
      row * std::min(kMostClassRows, std::max(1, static_cast<int>(classes_->bars().size()))));
}

void FactCharts::showSizes(const CountedPart& part) {
  const dataset_check::PartFacts& facts = part.facts;
  showHistogram(sizes_, facts.sides, powerOfTwoName, [](int count) {
    return tr("%Ln object(s) of %1 to %2 px (square root of the area, after resizing)", "", count);
  });
  const std::vector<std::size_t>& indices = chartOf(sizes_).indices;
  if (indices.empty()) return chartOf(sizes_).note->setText(tr("no objects"));
  const auto binOf = [&](double side) {
    return std::log2(side / facts.sides.edges[indices.front()]) /
           std::log2(facts.sides.edges[1] / facts.sides.edges[0]);
  };
  sizes_->setBorders(
      {{binOf(std::sqrt(coco::limitsOf(coco::ObjectSize::Small).highestPx)), tr("S"), tr("M")},
       {binOf(std::sqrt(coco::limitsOf(coco::ObjectSize::Medium).highestPx)), tr("M"), tr("L")}});
  std::vector<double> anchors;
  for (const float size : part.anchors.sizes) anchors.push_back(binOf(size));
  sizes_->setMarks(std::move(anchors));
  const std::int64_t missed = facts.anchors.all().missed;
  chartOf(sizes_).note->setText(
      tr("small %1, medium %2, large %3; ▼ anchor sizes, which miss %4 of the objects (no IoU of "
         "%5)")
          .arg(percent(facts.bySize[0], facts.objects), percent(facts.bySize[1], facts.objects),
               percent(facts.bySize[2], facts.objects), percent(missed, facts.usableObjects))
          .arg(config::kCoveringIou));
}

/// Of one class there are none, and of very many the most frequent.
void FactCharts::showPairs(const CountedPart& part) {
  Chart& chart = chartOf(pairs_);
  std::vector<std::size_t> order = byObjects(part);
  std::erase_if(order, [&](std::size_t i) { return part.facts.classes[i].objects == 0; });
  const std::size_t all = order.size();
  if (order.size() > kMostPairedClasses) order.resize(kMostPairedClasses);
  const bool isUseful = order.size() > 1;
  for (QWidget* widget : {static_cast<QWidget*>(pairs_), static_cast<QWidget*>(chart.heading)})
    widget->setVisible(isUseful);
  chart.note->setVisible(isUseful && all > order.size());
  chart.note->setText(
      tr("the %1 most frequent of %Ln class(es)", "", static_cast<int>(all)).arg(order.size()));
  QStringList names;
  std::vector<std::vector<std::int64_t>> counts;
  for (const std::size_t i : order) {
    names << nameOf(part.facts.classes[i].category);
    std::vector<std::int64_t>& row = counts.emplace_back();
    for (const std::size_t j : order) row.push_back(part.classPairs[i][j]);
  }
  chart.indices = std::move(order);
  pairs_->setPairs(isUseful ? names : QStringList(), counts);
}

void FactCharts::clearChoice() {
  for (const Chart& chart : charts_) chart.chart->setChosen(-1);
}

void FactCharts::choose(const BarChart* chosen, int bar) {
  for (const Chart& chart : charts_)
    if (chart.chart != chosen) chart.chart->setChosen(-1);
  if (bar < 0) return Q_EMIT barChosen(std::nullopt, {});
  const Chart& chart = chartOf(chosen);
  const auto place = static_cast<std::size_t>(bar);
  const std::size_t classes = chart.indices.size();
  const dataset_check::FactBar fact =
      chart.of == Of::ClassPair ? dataset_check::FactBar{chart.of, chart.indices[place / classes],
                                                         chart.indices[place % classes]}
                                : dataset_check::FactBar{chart.of, chart.indices[place]};
  Q_EMIT barChosen(fact, chosen->bars()[place].tip);
}

}  // namespace lockstep::widgets
