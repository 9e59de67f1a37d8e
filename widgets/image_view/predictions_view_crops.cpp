// The Predictions page's other way to look: all instances that pass the filters, as crops.
#include <QComboBox>
#include <QLabel>
#include <QStackedLayout>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "widgets/empty_state.h"
#include "widgets/image_view/canvas_scene.h"
#include "widgets/image_view/crop_grid.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/predictions_view_impl.h"
#include "widgets/named_action.h"

namespace lockstep::widgets {

/// The image, or the crops.
QWidget* PredictionsView::Impl::buildStages(PredictionsView* view) {
  stage = new ImageStage;
  crops = new CropGrid;
  noCrops = new EmptyState;
  auto* both = new QWidget;
  stages = new QStackedLayout(both);
  for (QWidget* each : std::initializer_list<QWidget*>{stage, crops, noCrops})
    stages->addWidget(each);
  cropsShown = new QToolButton;
  cropsShown->setObjectName(QStringLiteral("cropsShown"));
  cropsShown->setText(tr("Crops"));
  cropsShown->setCheckable(true);
  cropsShown->setToolTip(tr("All instances that pass the filters, as crops"));
  cropsShown->setAccessibleName(cropsShown->toolTip());
  showKeysOf(cropsShown, "predictions.crops");
  connect(cropsShown, &QToolButton::toggled, view, [this] { showStage(); });
  connect(crops, &CropGrid::chosen, view, [this](int index) { goToInstance(crops->at(index)); });
  connect(crops, &CropGrid::ready, view, [this] { announceReady(); });
  connect(noCrops, &EmptyState::actionTriggered, filters, &ImageFilterBar::showAll);
  return both;
}

bool PredictionsView::Impl::areCropsShown() const { return cropsShown->isChecked(); }

void PredictionsView::Impl::showStage() {
  firstCrop.reset();
  if (!areCropsShown()) {
    cropsJob.cancel();
    stages->setCurrentWidget(stage);
  } else {
    firstCrop = chosenAsListed();
    stages->setCurrentWidget(crops);
    crops->setFocus();
    findCrops();
  }
  showLegend();
  colourBy->setVisible(!areCropsShown());
  pixel->setVisible(!areCropsShown());
  showStrip();
  if (hasImages()) showFacts();
}

/// The one that is chosen on the shown image.
std::optional<ListedInstance> PredictionsView::Impl::chosenAsListed() const {
  const auto scene = session.scene();
  const int pinned = canvas()->pinned();
  if (!scene || pinned < 0 || pinned >= static_cast<int>(scene->instances.size()))
    return std::nullopt;
  const InstanceFacts& chosen = scene->instances[static_cast<std::size_t>(pinned)].facts;
  return ListedInstance{session.imageIndex(),
                        chosen.category,
                        chosen.verdict,
                        chosen.detection,
                        chosen.detection < 0 ? chosen.annotation : -1,
                        chosen.score};
}

/// Of the images of the strip, in their order.
void PredictionsView::Impl::findCrops() {
  cropsJob.cancel();
  if (!areCropsShown() || !hasImages()) return;
  if (!session.isAnalysed()) return showCrops({});
  wasReady = false;
  cropsJob.request([dataset = session.dataset(), analysis = session.keptAnalysis(),
                    asked = shownOrder(), images = order] {
    return ListedCrops{listedInstances(*dataset, *analysis, asked, images), analysis->overlaps};
  });
}

void PredictionsView::Impl::showCrops(const ListedCrops& listed) {
  const std::vector<ListedInstance>& found = listed.instances;
  const auto sourceOf = [this, overlaps = listed.of](std::size_t image) {
    const coco::Image& of = session.dataset()->images()[image];
    return CropRequest{session.pathOf(image),
                       session.annotatedSizeOf(of),
                       overlaps->find(of.id)->detections,
                       nullptr,
                       {}};
  };
  crops->setInstances(found, session.dataset(), sourceOf);
  if (firstCrop && !found.empty()) {
    const auto first = std::ranges::find(found, *std::exchange(firstCrop, std::nullopt));
    if (first != found.end()) crops->setCurrent(static_cast<int>(first - found.begin()));
  }
  showLegend();
  describeNoCrops();
  stages->setCurrentWidget(found.empty() ? static_cast<QWidget*>(noCrops) : crops);
  if (hasImages()) showFacts();
}

/// In the place of the crops.
void PredictionsView::Impl::describeNoCrops() {
  if (awaitsMatches())
    return noCrops->setContent(tr("Matching…"),
                               tr("The detections of this step are compared with the objects."));
  if (!session.analysis() || session.analysis()->imageCount() == 0)
    return noCrops->setContent(tr("No image is predicted at this step"),
                               tr("Crops show what is detected or missed on predicted images."));
  noCrops->setContent(tr("No instance"),
                      tr("No instance passes the filters and the score threshold."),
                      filters->filtersText().isEmpty() ? QString() : tr("Clear filters"));
}

/// At the shown step and IoU threshold.
bool PredictionsView::Impl::awaitsMatches() const {
  return !session.isAnalysed() && (session.analysis() || session.awaitsAnalysis());
}

/// Their indices are those of the step before.
void PredictionsView::Impl::dropCrops() {
  cropsJob.cancel();
  firstCrop.reset();
  crops->setInstances({}, session.dataset(), {});
  findCrops();
}

/// Chosen in its image, once that is there.
void PredictionsView::Impl::goToInstance(const ListedInstance& instance) {
  cropsShown->setChecked(false);
  const int at = placeOf(instance.image);
  if (at < 0) return;
  if (instance.image != session.imageIndex()) showImageAt(at);
  askedInstance =
      AskedInstance{session.image(),
                    session.step(),
                    {instance.detection, instance.annotation, instance.category, instance.score}};
  chooseAsked();
  canvas()->setFocus();
}

void PredictionsView::Impl::showCropFacts() {
  name->setText(tr("Instances that pass the filters"));
  facts->setText(tr("in %Ln image(s)", "", static_cast<int>(order.size())));
  if (awaitsMatches() && crops->count() == 0) return filters->setPlace(tr("Matching…"));
  filters->setPlace(tr("%Ln instance(s)", "", static_cast<int>(crops->count())));
}

}  // namespace lockstep::widgets
