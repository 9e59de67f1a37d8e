// Which images the strip shows, in which order, and what it says of each.
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

/// Called when a filter is chosen or an analysis arrives, not while a slider moves, so that the
/// images do not jump.
void PredictionsView::Impl::rebuildOrder() {
  orderJob.cancel();
  if (!hasImages()) return showOrder({});
  ImageOrder options = filters->order();
  options.scoreThreshold = panel->thresholds().score;
  options.hidden = panel->hidden();
  options.losses = shownLosses();
  if (!options.isSlow())
    return showOrder(orderedImages(*session.dataset(), session.analysis(), options));
  wasReady = false;
  orderJob.request([dataset = session.dataset(), analysis = session.keptAnalysis(), options] {
    return orderedImages(*dataset, analysis.get(), options);
  });
}

void PredictionsView::Impl::showOrder(std::vector<std::size_t> newOrder) {
  if (newOrder == order && !order.empty()) return;
  order = std::move(newOrder);
  std::vector<ThumbnailStrip::Item> items;
  for (std::size_t index : order) {
    const coco::Image& image = session.dataset()->images()[index];
    items.push_back({session.pathOf(index), session.annotatedSizeOf(image),
                     QString::fromStdString(image.fileName)});
  }
  strip->setItems(std::move(items));
  if (!hasImages()) return;
  strip->setCurrent(placeOf(session.imageIndex()));
  showMarks();
  showFacts();
}

/// Of the images of the strip, as soon as they are counted.
void PredictionsView::Impl::showMarks() {
  const CheckpointFigures& figures = session.figures();
  const bool isCounted = figures.of && figures.of->step() == session.step();
  const auto ofImages = isInOrderOfLosses() ? shownLosses() : nullptr;
  std::vector<ThumbnailStrip::Mark> marks;
  for (std::size_t index : order) {
    ThumbnailStrip::Mark mark;
    if (ofImages) {
      const auto known = ofImages->find(session.dataset()->images()[index].id);
      if (known != ofImages->end()) mark.loss = known->second;
    }
    if (isCounted) {
      const auto& counts = figures.images[index];
      mark.isPredicted = counts.has_value();
      mark.counts = counts.value_or(coco::Counts());
      mark.isJudged = session.rules().hasTruth;
    }
    marks.push_back(mark);
  }
  strip->setMarks(std::move(marks));
}

}  // namespace lockstep::widgets
