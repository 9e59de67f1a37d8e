#include "app/compare/compared_figures.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "app/text/metric_text.h"
#include "engine/coco/evaluation/params.h"
#include "engine/config/losses.h"
#include "engine/config/resumed_keys.h"
#include "engine/events/tags.h"

namespace lockstep::app {
namespace {

using widgets::ComparedFigure;
using widgets::FigureSection;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct FigureText {
  Q_DECLARE_TR_FUNCTIONS(ComparedFigures)
};

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

/// Masks before boxes, in COCO's order; then losses, in that of the model; then others.
std::size_t placeOf(const std::string& tag) {
  static const std::vector<std::string> kMetrics = coco::metricNames();
  const std::string_view name = events::tags::nameIn(tag);
  std::size_t place = 0;
  for (const std::string_view kind : {"segm/", "bbox/"}) {
    if (name.starts_with(kind)) {
      const auto metric = std::ranges::find(kMetrics, name.substr(kind.size()));
      return place + static_cast<std::size_t>(metric - kMetrics.begin());
    }
    place += kMetrics.size() + 1;
  }
  if (name == config::kTotalLoss) return place;
  const auto loss = std::ranges::find(config::kLossNames, name,
                                      [](const char* each) { return std::string_view(each); });
  return place + 1 + static_cast<std::size_t>(loss - config::kLossNames.begin());
}

QString kindText(coco::IouType type) {
  return type == coco::IouType::Box ? FigureText::tr("Boxes") : FigureText::tr("Masks");
}

double defined(double figure) { return figure < 0 ? kNone : figure; }

/// An AP in percentage points. Adding 0 turns -0.0 into 0.0.
QString pointsText(double ap) {
  return QLocale().toString(std::round(1000 * ap) / 10 + 0.0, 'f', 1);
}

/// The absolute value of a difference. Only equal APs differ by 0.0 points.
QString differenceText(double ap) {
  const QString text = pointsText(std::abs(ap));
  return ap != 0 && text == pointsText(0) ? FigureText::tr("less than %1").arg(pointsText(0.001))
                                          : text;
}

/// Returns false for the device, threads and the like, which change roundings at most, and for
/// seeds.
bool changesTraining(std::string_view key) {
  constexpr std::array<std::string_view, 3> kKeys = {"solver.max_steps", "runtime.precision",
                                                     "runtime.workers"};
  return std::ranges::find(kKeys, key) != kKeys.end() ||
         (key != "name" && !config::mayChangeOnResume(key));
}

}  // namespace

FigureSection evaluationFigures(const MetricStore& first, qint64 firstStep,
                                const MetricStore& second, qint64 secondStep, bool areWhole) {
  std::vector<std::string> tags(first.tags().begin(), first.tags().end());
  for (const std::string& tag : second.tags())
    if (first.series(tag) == nullptr) tags.push_back(tag);
  std::erase_if(tags, [](const std::string& tag) { return !isFigure(tag); });
  std::ranges::stable_sort(tags, {}, &placeOf);
  FigureSection section{
      QStringLiteral("logged"),
      areWhole ? FigureText::tr("Whole validation split, as logged by the runs")
               : FigureText::tr("Evaluated validation images, as logged by the runs"),
      FigureText::tr("What each run logged when it evaluated this checkpoint, on all the "
                     "validation images that it evaluates")};
  for (const std::string& tag : tags) {
    const std::string name(events::tags::nameIn(tag));
    const QString text = tag == events::tags::kEvalTotalLoss
                             ? FigureText::tr("total loss")
                             : metricText(QString::fromStdString(name));
    section.figures.push_back({text, valueAt(first, tag, firstStep),
                               valueAt(second, tag, secondStep), events::tags::isEvalLoss(tag)});
  }
  return section;
}

FigureSection commonFigures(const widgets::ResultsPair& pair, coco::IouType type,
                            std::size_t imagesOfDataset) {
  const bool areAll = pair.imageCount == imagesOfDataset;
  const auto all = static_cast<int>(imagesOfDataset);
  FigureSection section{
      QStringLiteral("common"),
      areAll ? FigureText::tr("%1 on all %Ln validation image(s)", "", all).arg(kindText(type))
             : FigureText::tr("%1 on %L2 of %Ln validation image(s)", "", all)
                   .arg(kindText(type))
                   .arg(pair.imageCount),
      FigureText::tr(
          "COCO's metrics as coco-eval gives them, on the images that both have predicted")};
  for (std::size_t i = 0; i < pair.first.stats.size(); ++i)
    section.figures.push_back({QString::fromStdString(pair.first.names[i]),
                               defined(pair.first.stats[i]), defined(pair.second.stats[i])});
  return section;
}

std::vector<widgets::ComparedClass> classFigures(const widgets::ResultsPair& pair,
                                                 const widgets::MatchedPair* matched) {
  std::vector<widgets::ComparedClass> figures;
  for (std::size_t i = 0; i < pair.first.classes.size(); ++i) {
    const coco::ClassAveragePrecision& own = pair.first.classes[i];
    if (own.ap < 0) continue;
    widgets::ComparedClass one{
        own.category, {QString::fromStdString(own.name), own.ap, pair.second.classes[i].ap}};
    if (matched) one.objects = matched->objectCounts()[i];
    figures.push_back(std::move(one));
  }
  return figures;
}

QString spreadText(const std::vector<config::ConfigDifference>& differences) {
  if (std::ranges::any_of(differences, changesTraining, &config::ConfigDifference::key)) return {};
  const bool hasSeeds = std::ranges::find(differences, "runtime.seed",
                                          &config::ConfigDifference::key) != differences.end();
  return hasSeeds
             ? FigureText::tr("Only the seed differs: this is run-to-run spread.")
             : FigureText::tr("No setting of the training differs: this is run-to-run spread.");
}

QString verdictText(const widgets::ResultsPair& pair, coco::IouType type,
                    std::size_t imagesOfDataset, const QString& spread) {
  const coco::ApComparison& ap = pair.ap;
  if (ap.resamples == 0) return FigureText::tr("No comparison: the images have no objects.");
  const bool isOfB = ap.difference >= 0;
  const coco::Interval interval =
      isOfB ? ap.interval : coco::Interval{-ap.interval.high, -ap.interval.low};
  const bool isDifferent = ap.verdict != coco::ComparisonVerdict::NoDifferenceShown;
  const QString verdict = !isDifferent
                              ? FigureText::tr("No significant difference: %1 has %2 %3 more")
                          : spread.isEmpty() ? FigureText::tr("%1 is better by %2 %3")
                                             : FigureText::tr("%1 has %2 %3 more");
  const auto all = static_cast<int>(imagesOfDataset);
  const QString images =
      pair.imageCount == imagesOfDataset
          ? FigureText::tr("all %Ln validation image(s)", "", all)
          : FigureText::tr("the %L1 of %Ln validation image(s) that both have predicted", "", all)
                .arg(pair.imageCount);
  const QString kind = type == coco::IouType::Box ? FigureText::tr("box AP points")
                                                  : FigureText::tr("mask AP points");
  QStringList sentences{spread,
                        FigureText::tr("%1 (95 % CI %2 to %3, p = %4), on %5.")
                            .arg(verdict.arg(isOfB ? FigureText::tr("B") : FigureText::tr("A"),
                                             differenceText(ap.difference), kind),
                                 pointsText(interval.low), pointsText(interval.high),
                                 QLocale().toString(ap.pValue, 'f', 3), images),
                        FigureText::tr("CI and p are over the images, not over trainings.")};
  if (pair.imageCount < coco::kFewImages)
    sentences << FigureText::tr("With fewer than %n image(s) they are rough.", "",
                                static_cast<int>(coco::kFewImages));
  sentences.removeAll(QString());
  return sentences.join(u' ');
}

}  // namespace lockstep::app
