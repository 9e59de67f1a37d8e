// How the Predictions page goes from error to error, and what it counts of them.
#include <algorithm>
#include <iterator>
#include <set>

#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/predictions_panel.h"
#include "widgets/image_view/predictions_view_impl.h"

namespace lockstep::widgets {

/// Images that have errors at these thresholds.
std::vector<std::size_t> PredictionsView::Impl::imagesWithErrors() const {
  std::vector<std::size_t> images;
  const CheckpointAnalysis* analysis = session.analysis();
  if (!analysis) return images;
  for (const std::size_t index : order) {
    const auto counts = analysis->countsOf(session.dataset()->images()[index].id,
                                           panel->thresholds().score, panel->hidden());
    if (counts && errorCount(*counts) > 0) images.push_back(index);
  }
  return images;
}

/// Goes to the nearest image of the strip that has an error of those that are asked for.
void PredictionsView::Impl::moveErrorToImage(int by) {
  errorsBy = by;
  ImageOrder asked = shownOrder();
  asked.sort = ImageOrder::Sort::Dataset;
  if (!asked.asksForErrors()) asked.filter = ImageOrder::Filter::WithErrors;
  if (!asked.isSlow() && asked.filter == ImageOrder::Filter::WithErrors)
    return goToErrorOf(imagesWithErrors());
  if (!session.isAnalysed()) return;
  wasReady = false;
  errorJob.request([dataset = session.dataset(), analysis = session.keptAnalysis(), asked] {
    return orderedImages(*dataset, analysis.get(), asked);
  });
}

/// To the nearest one of them in the strip, this one last; says when that was on from its other
/// end.
void PredictionsView::Impl::goToErrorOf(const std::vector<std::size_t>& images) {
  const std::set<std::size_t> areAsked(images.begin(), images.end());
  std::vector<int> places;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (areAsked.contains(order[i])) places.push_back(static_cast<int>(i));
  if (places.empty()) return filters->setPlace(tr("No errors at these thresholds"));
  askedInstance.reset();
  const int by = errorsBy, here = placeOf(session.imageIndex());
  const auto after = std::upper_bound(places.begin(), places.end(), here);
  const auto before = std::lower_bound(places.begin(), places.end(), here);
  const bool wraps = by > 0 ? after == places.end() : before == places.begin();
  const int next =
      by > 0 ? (wraps ? places.front() : *after) : (wraps ? places.back() : *std::prev(before));
  if (next != here) showImageAt(next);
  chooseErrorFrom = by;
  chooseWaitingError();
  if (wraps)
    filters->setPlace(
        (by > 0 ? tr("From the first error again") : tr("From the last error again")) %
        QStringLiteral(" · ") % filters->place());
}

/// The first or last error of an image that moveErrorToImage() went to, once it is there.
void PredictionsView::Impl::chooseWaitingError() {
  if (chooseErrorFrom == 0 || !session.scene() || !session.decoded()) return;
  const std::vector<int> errors = errorsOfScene();
  if (!errors.empty()) choose(chooseErrorFrom > 0 ? errors.front() : errors.back());
  chooseErrorFrom = 0;
}

/// Those that the images are asked for, worst first.
std::vector<int> PredictionsView::Impl::errorsOfScene() const {
  const ImageOrder asked = filters->order();
  const auto& instances = session.scene()->instances;
  std::vector<int> errors;
  for (std::size_t i = 0; i < instances.size(); ++i)
    if (asked.asksFor(instances[i].facts)) errors.push_back(static_cast<int>(i));
  return errors;
}

void PredictionsView::Impl::moveError(int by) {
  if (!session.scene()) return;
  const std::vector<int> errors = errorsOfScene();
  const int now = canvas()->pinned();
  const auto after = std::ranges::upper_bound(errors, now);
  const int end = static_cast<int>(session.scene()->instances.size());
  const auto before = std::ranges::lower_bound(errors, now < 0 ? end : now);
  if (by > 0 && after != errors.end()) return choose(*after);
  if (by < 0 && before != errors.begin()) return choose(*std::prev(before));
  moveErrorToImage(by);
}

/// All images with one, and the first of them chosen.
void PredictionsView::Impl::showErrorsOf(CategoryId category, bool areMissed) {
  goesToFirstError = true;
  filters->setClassErrors(category, areMissed);
}

/// What was found, or is asked for, of the data before is of no image of the next.
void PredictionsView::Impl::forgetErrors() {
  errorJob.cancel();
  cropsJob.cancel();
  firstCrop.reset();
  goesToFirstError = false;
  chooseErrorFrom = 0;
  errorFiguresTimer.stop();
  errorFiguresJob.cancel();
  errorFigures = {};
  figuresAsked.reset();
  filters->setErrorCounts({});
}

/// Until they are there again, none are known.
void PredictionsView::Impl::awaitErrorFigures() {
  errorFiguresJob.cancel();
  errorFigures = {};
  figuresAsked = filters->order();
  errorFiguresTimer.start();
}

/// If the filters have changed: another order of the images has the same ones.
void PredictionsView::Impl::awaitOtherErrorFigures() {
  if (!figuresAsked || !figuresAsked->asksForTheSame(filters->order())) awaitErrorFigures();
}

/// While no slider moves: all images are judged for it.
void PredictionsView::Impl::findErrorFigures() {
  errorFiguresJob.cancel();
  findCrops();
  if (!session.isAnalysed() || !session.rules().hasTruth) return;
  errorFiguresJob.request(
      [dataset = session.dataset(), analysis = session.keptAnalysis(), order = shownOrder()] {
        return errorFiguresOf(*dataset, *analysis, order);
      });
}

void PredictionsView::Impl::showErrorFigures(const ErrorFigures& found) {
  errorFigures = found;
  filters->setErrorCounts(found.counts);
  const ImageOrder chosen = filters->order();
  if (chosen.isNarrow() || chosen.sort == ImageOrder::Sort::LowestIou) showMarks();
}

}  // namespace lockstep::widgets
