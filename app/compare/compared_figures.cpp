#include "app/compare/compared_figures.h"

#include <QCoreApplication>
#include <QLocale>
#include <limits>

#include "app/models/metric_text.h"
#include "engine/events/tags.h"

namespace lockstep::app {
namespace {

using widgets::ComparedFigure;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

QString tr(const char* text) { return QCoreApplication::translate("ComparedFigures", text); }

double valueAt(const MetricStore& metrics, const std::string& tag, qint64 step) {
  const MetricSeries* series = metrics.series(tag);
  if (series == nullptr) return kNone;
  const std::size_t after = series->axis().firstAfter(step);
  const bool isThere = after > 0 && after <= series->size() && series->step(after - 1) == step;
  return isThere ? static_cast<double>(series->value(after - 1)) : kNone;
}

/// AP of classes is another table; pictures have no value.
bool isFigure(const std::string& tag) {
  return tag.starts_with(events::tags::eval("")) && tag.find("/class/") == std::string::npos &&
         !tag.starts_with(events::tags::eval("predictions/"));
}

double defined(double figure) { return figure < 0 ? kNone : figure; }

QString signedText(double value) {
  return (value > 0 ? QStringLiteral("+") : QString()) + QLocale().toString(value, 'f', 4);
}

}  // namespace

std::vector<ComparedFigure> evaluationFigures(const MetricStore& first, qint64 firstStep,
                                              const MetricStore& second, qint64 secondStep) {
  std::vector<std::string> tags(first.tags().begin(), first.tags().end());
  for (const std::string& tag : second.tags())
    if (first.series(tag) == nullptr) tags.push_back(tag);
  std::vector<ComparedFigure> figures;
  for (const std::string& tag : tags) {
    if (!isFigure(tag)) continue;
    const std::string name(events::tags::nameIn(tag));
    figures.push_back({tr("%1, logged").arg(metricText(QString::fromStdString(name))),
                       valueAt(first, tag, firstStep), valueAt(second, tag, secondStep),
                       events::tags::isEvalLoss(tag)});
  }
  return figures;
}

std::vector<ComparedFigure> commonFigures(const widgets::ResultsPair& pair) {
  std::vector<ComparedFigure> figures;
  for (std::size_t i = 0; i < pair.first.stats.size(); ++i)
    figures.push_back({QString::fromStdString(pair.first.names[i]), defined(pair.first.stats[i]),
                       defined(pair.second.stats[i])});
  return figures;
}

std::vector<ComparedFigure> classFigures(const widgets::ResultsPair& pair) {
  std::vector<ComparedFigure> figures;
  for (std::size_t i = 0; i < pair.first.classes.size(); ++i) {
    const coco::ClassAveragePrecision& own = pair.first.classes[i];
    if (own.ap >= 0)
      figures.push_back({QString::fromStdString(own.name), own.ap, pair.second.classes[i].ap});
  }
  return figures;
}

QString verdictText(const widgets::ResultsPair& pair, std::size_t imagesOfDataset) {
  const coco::ApComparison& ap = pair.ap;
  if (ap.resamples == 0) return tr("No difference can be told: the images have no objects.");
  const QString verdict =
      ap.verdict == coco::ComparisonVerdict::BIsBetter   ? tr("B is better than A")
      : ap.verdict == coco::ComparisonVerdict::AIsBetter ? tr("A is better than B")
                                                         : tr("No difference can be told");
  const QString images = pair.imageCount == imagesOfDataset
                             ? tr("all %1 held-out images").arg(pair.imageCount)
                             : tr("the %1 of %2 held-out images that both have predicted")
                                   .arg(pair.imageCount)
                                   .arg(imagesOfDataset);
  return tr("%1: AP %2, on %3 (95 % interval %4 to %5, p = %6, paired bootstrap)")
      .arg(verdict, signedText(ap.difference), images, signedText(ap.interval.low),
           signedText(ap.interval.high), QLocale().toString(ap.pValue, 'f', 3));
}

}  // namespace lockstep::app
