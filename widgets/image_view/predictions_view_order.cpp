// Which images the strip shows, in which order, and what it says of each.
#include <cmath>
#include <utility>

#include "widgets/curves/number_text.h"
#include "widgets/image_view/predictions_panel.h"
#include "widgets/image_view/predictions_view_impl.h"
#include "widgets/image_view/thumbnail_strip.h"
#include "widgets/instances/image_order.h"

namespace lockstep::widgets {

bool PredictionsView::Impl::isInOrderOfLosses() const {
  return filters->order().sort == ImageOrder::Sort::HighestLoss;
}

/// At the shown checkpoint; nullptr: they are not known.
std::shared_ptr<const ImageLosses> PredictionsView::Impl::shownLosses() const {
  const auto known = losses.find(session.step());
  return known == losses.end() ? nullptr : known->second;
}

ImageOrder PredictionsView::Impl::shownOrder() const {
  ImageOrder options = filters->order();
  options.scoreThreshold = panel->thresholds().score;
  options.hidden = panel->hidden();
  options.losses = shownLosses();
  return options;
}

/// Called when a filter is chosen or an analysis arrives, not while a slider moves, so that the
/// images do not jump.
void PredictionsView::Impl::rebuildOrder() {
  orderJob.cancel();
  if (!hasImages()) return showOrder({});
  const ImageOrder options = shownOrder();
  if (options.needsCounts() && session.awaitsAnalysis()) return;  // what is shown stays until then
  if (!options.isSlow())
    return showOrder(orderedImages(*session.dataset(), session.analysis(), options));
  wasReady = false;
  orderJob.request([dataset = session.dataset(), analysis = session.keptAnalysis(), options] {
    return orderedImages(*dataset, analysis.get(), options);
  });
}

void PredictionsView::Impl::showOrder(std::vector<std::size_t> newOrder) {
  const bool toFirstError = std::exchange(goesToFirstError, false);
  if (newOrder != order || order.empty()) showImages(std::move(newOrder));
  if (!toFirstError || order.empty() || areCropsShown()) return;
  askedInstance.reset();
  showImageAt(0);
  chooseErrorFrom = 1;
  chooseWaitingError();
}

void PredictionsView::Impl::showImages(std::vector<std::size_t> newOrder) {
  order = std::move(newOrder);
  showStrip();
  std::vector<ThumbnailStrip::Item> items;
  for (std::size_t index : order) {
    const coco::Image& image = session.dataset()->images()[index];
    items.push_back({session.pathOf(index), session.annotatedSizeOf(image),
                     QString::fromStdString(image.fileName)});
  }
  strip->setItems(std::move(items));
  findCrops();
  if (!hasImages()) return;
  strip->setCurrent(placeOf(session.imageIndex()));
  showMarks();
  showFacts();
}

/// What the images are in the order of, if their errors do not say it.
void PredictionsView::Impl::addFigure(ThumbnailStrip::Mark& mark, std::size_t index,
                                      const ImageLosses* ofImages) const {
  const auto set = [&mark](const QString& figure, double value) {
    mark.figure = QString::number(value, 'f', 2);
    mark.namedFigure = tr("%1 %2").arg(figure, QString::number(value, 'f', 3));
  };
  const auto setCount = [&mark](const QString& text) { mark.figure = mark.namedFigure = text; };
  using Sort = ImageOrder::Sort;
  const Sort sort = filters->order().sort;
  if (ofImages != nullptr) {
    const auto known = ofImages->find(session.dataset()->images()[index].id);
    if (known != ofImages->end()) set(tr("validation loss"), known->second);
  } else if (!mark.isPredicted || !mark.isJudged) {
    return;
  } else if (sort == Sort::LowestIou && index < errorFigures.meanIous.size() &&
             std::isfinite(errorFigures.meanIous[index])) {
    set(tr("mean IoU"), errorFigures.meanIous[index]);
  } else if (sort == Sort::MostFalsePositives) {
    setCount(tr("%1 FP").arg(countText(mark.counts.falsePositives)));
  } else if (sort == Sort::MostMissed) {
    setCount(tr("%1 FN").arg(countText(mark.counts.falseNegatives)));
  }
}

/// Of the images of the strip, as soon as they are counted: what they are asked for alone.
void PredictionsView::Impl::showMarks() {
  const CheckpointFigures& figures = session.figures();
  const bool isNarrow = filters->order().isNarrow();
  const bool isCounted = figures.of != nullptr;
  const auto ofImages = isInOrderOfLosses() ? shownLosses() : nullptr;
  std::vector<ThumbnailStrip::Mark> marks;
  for (std::size_t index : order) {
    ThumbnailStrip::Mark mark;
    if (isCounted) {
      const auto& all = figures.images[index];
      const bool areAskedKnown = index < errorFigures.asked.size();
      const auto& counts = isNarrow && areAskedKnown ? errorFigures.asked[index] : all;
      mark.isPredicted = all.has_value();
      mark.counts = counts.value_or(coco::Counts());
      mark.isJudged = session.rules().hasTruth && (areAskedKnown || !isNarrow);
    }
    addFigure(mark, index, ofImages.get());
    marks.push_back(std::move(mark));
  }
  strip->setMarks(std::move(marks));
}

}  // namespace lockstep::widgets
