#include "widgets/image_view/predictions_parts.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/banner.h"
#include "widgets/elided_label.h"
#include "widgets/empty_state.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/instance_table.h"
#include "widgets/image_view/layer_buttons.h"
#include "widgets/image_view/predictions_panel.h"
#include "widgets/image_view/thumbnail_strip.h"
#include "widgets/instances/image_order.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kPrefetched = 3;

}  // namespace

QWidget* PredictionsView::Parts::buildImageSide(PredictionsView* view) {
  auto* side = new QWidget;
  name = new ElidedLabel(Qt::ElideMiddle);
  setRole(name, "heading");
  facts = new ElidedLabel(Qt::ElideRight);
  setRole(facts, "muted");
  layers = new LayerButtons(view);
  auto* header = new QHBoxLayout;
  header->setSpacing(14);
  header->addWidget(name);
  header->addWidget(facts, 1);
  header->addWidget(layers);
  facts->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // the name is more important

  stage = new ImageStage;
  filter = new QComboBox;
  filter->addItems({tr("All images"), tr("Predicted images"), tr("Images with errors")});
  filter->setAccessibleName(tr("Images shown"));
  sort = new QComboBox;
  sort->addItems({tr("Dataset order"), tr("Most errors first")});
  sort->setAccessibleName(tr("Sort images"));
  place = new QLabel;
  setRole(place, "muted");
  auto* choice = new QHBoxLayout;
  choice->addWidget(filter);
  choice->addWidget(sort);
  choice->addStretch();
  choice->addWidget(place);
  strip = new ThumbnailStrip;

  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(16, 10, 16, 6);
  column->setSpacing(8);
  banner = new Banner;
  column->addWidget(banner);
  column->addLayout(header);
  column->addWidget(stage, 1);
  column->addLayout(choice);
  column->addWidget(strip);
  return side;
}

void PredictionsView::Parts::showPage() {
  stack->setCurrentWidget(hasImages() ? static_cast<QWidget*>(page) : empty);
}

void PredictionsView::Parts::setStep(qint64 step) {
  if (step != session.step()) wasReady = false;
  session.setStep(step);
  panel->showCheckpoints(session.store(), step);
  showNotice();
}

/// A step that is no checkpoint is none anyone chose: the newest with predictions is shown, else
/// the newest.
void PredictionsView::Parts::chooseStep() {
  const std::vector<qint64>& steps = session.store().checkpoints();
  const bool isKnown = std::binary_search(steps.begin(), steps.end(), session.step());
  if (!isKnown && !steps.empty()) {
    const auto predicted = std::find_if(steps.rbegin(), steps.rend(), [this](qint64 step) {
      return !session.store().at(step).empty();
    });
    return setStep(predicted == steps.rend() ? steps.back() : *predicted);
  }
  panel->showCheckpoints(session.store(), session.step());
  showNotice();
}

/// The image alone, or everything again.
void PredictionsView::Parts::toggleFullSize() {
  const bool isAlone = panelSide->isHidden();
  panelSide->setVisible(isAlone);
  strip->setVisible(isAlone);
  for (QWidget* widget :
       {static_cast<QWidget*>(filter), static_cast<QWidget*>(sort), static_cast<QWidget*>(place)}) {
    widget->setVisible(isAlone);
  }
}

void PredictionsView::Parts::showImageAt(int at) {
  if (at < 0 || at >= static_cast<int>(order.size())) return;
  wasReady = false;
  std::vector<std::size_t> neighbours;
  for (int distance = 1; distance <= kPrefetched; ++distance) {
    for (int near : {at + distance, at - distance}) {
      if (near >= 0 && near < static_cast<int>(order.size()))
        neighbours.push_back(order[static_cast<std::size_t>(near)]);
    }
  }
  session.setImage(order[static_cast<std::size_t>(at)], neighbours);
  strip->setCurrent(at);
  canvas()->setScene(session.scene());
  panel->table()->setScene(session.scene());
  showDecoded();
  showFacts();
  showNotice();
  showCounts();
}

void PredictionsView::Parts::moveImage(int by) {
  const int at = placeOf(session.imageIndex());
  showImageAt(std::clamp(at + by, 0, std::max(0, static_cast<int>(order.size()) - 1)));
}

void PredictionsView::Parts::showDecoded() {
  const auto decoded = session.decoded();
  canvas()->setImage(decoded);
  if (decoded && !decoded->failure.isEmpty()) {
    stage->setProblem(
        tr("%1 cannot be shown").arg(QString::fromStdString(session.image().fileName)),
        session.pathOf(session.imageIndex()) % QStringLiteral(": ") % decoded->failure);
  } else {
    stage->setProblem({}, {});
  }
  showNotice();
}

void PredictionsView::Parts::showScene() {
  canvas()->setScene(session.scene());
  panel->table()->setScene(session.scene());
  panel->table()->showChosen(canvas()->pinned());
  showNotice();
}

void PredictionsView::Parts::showFacts() {
  const coco::Image& image = session.image();
  const auto objects = session.dataset()->annotationsOf(session.imageIndex()).size();
  name->setText(QString::fromStdString(image.fileName));
  facts->setText((objects == 1 ? tr("1 object") : tr("%1 objects").arg(objects)) %
                 QStringLiteral(" · %1 × %2").arg(image.width).arg(image.height) %
                 QStringLiteral(" · %1 images").arg(session.dataset()->images().size()));
  place->setText(tr("%1 of %2").arg(placeOf(session.imageIndex()) + 1).arg(order.size()));
}

/// One line at the foot of the image: a fault of the file, or that it was not predicted and what
/// can be done.
void PredictionsView::Parts::showNotice() {
  if (!hasImages()) return;
  const auto decoded = session.decoded();
  if (!session.sceneFailure().isEmpty()) return stage->setNotice(session.sceneFailure());
  if (decoded && !decoded->warning.isEmpty()) return stage->setNotice(decoded->warning);
  const bool isBroken = decoded && !decoded->failure.isEmpty();
  if (session.detections() || session.store().checkpoints().empty() || isBroken)
    return stage->setNotice({});
  const PredictionStore::Request request =
      session.store().request(session.step(), session.image().id);
  if (request.state == PredictionStore::RequestState::Waiting) {
    return stage->setNotice(tr("Predicting with the checkpoint of step %1…").arg(session.step()));
  }
  if (!session.store().isKept(session.step())) {
    const auto nearest = session.store().nearestKept(session.step());
    const QString text =
        tr("This image was not predicted at step %1, and its checkpoint is no longer kept")
            .arg(session.step());
    return stage->setNotice(nearest ? tr("%1; the nearest is step %2.").arg(text).arg(*nearest)
                                    : tr("%1.").arg(text));
  }
  const QString offReason = canPredict         ? QString()
                            : whyNot.isEmpty() ? tr("No engine is available to predict.")
                                               : whyNot;
  if (request.state == PredictionStore::RequestState::Failed) {
    return stage->setNotice(tr("Prediction failed: %1").arg(request.failure), tr("Try again"),
                            offReason);
  }
  stage->setNotice(tr("This image was not predicted at step %1.").arg(session.step()),
                   tr("Predict this image"), offReason);
}

void PredictionsView::Parts::showCounts() {
  const CheckpointAnalysis* analysis = session.analysis();
  const ClassTallies* here = nullptr;
  if (analysis && analysis->step != session.step()) analysis = nullptr;
  if (analysis && hasImages()) {
    const auto found = analysis->images.find(session.image().id);
    if (found != analysis->images.end()) here = &found->second;
  }
  panel->showCounts(analysis, here);
  std::vector<ThumbnailStrip::Mark> marks;
  for (std::size_t index : order) {
    ThumbnailStrip::Mark mark;
    if (analysis) {
      const auto found = analysis->images.find(session.dataset()->images()[index].id);
      mark.isPredicted = found != analysis->images.end();
      if (mark.isPredicted)
        mark.counts = countsAt(found->second, panel->thresholds().score, panel->hidden());
    }
    marks.push_back(mark);
  }
  strip->setMarks(std::move(marks));
}

/// Called when a filter is chosen or an analysis arrives, not while a slider moves: images must not
/// jump about.
void PredictionsView::Parts::rebuildOrder() {
  std::vector<std::size_t> wanted;
  if (hasImages()) {
    const ImageOrder how{static_cast<ImageOrder::Filter>(filter->currentIndex()),
                         static_cast<ImageOrder::Sort>(sort->currentIndex()),
                         panel->thresholds().score, panel->hidden()};
    wanted = orderedImages(*session.dataset(), session.analysis(), how);
  }
  if (wanted == order && !order.empty()) return;
  order = std::move(wanted);
  std::vector<ThumbnailStrip::Item> items;
  for (std::size_t index : order) {
    const coco::Image& image = session.dataset()->images()[index];
    items.push_back({session.pathOf(index), QSize(image.width, image.height),
                     QString::fromStdString(image.fileName)});
  }
  strip->setItems(std::move(items));
  if (!hasImages()) return;
  strip->setCurrent(placeOf(session.imageIndex()));
  showCounts();
  showFacts();
}

void PredictionsView::Parts::choose(int instance) {
  if (instance < 0) return;
  canvas()->setPinned(instance);
  canvas()->reveal(instance);
  panel->table()->showChosen(instance);
}

void PredictionsView::Parts::moveInstance(int by) {
  choose(panel->table()->neighbour(canvas()->pinned(), by));
}

/// A scene has its worst instances first, so errors are its first ones.
void PredictionsView::Parts::moveError(int by) {
  if (!session.scene()) return;
  const auto& instances = session.scene()->instances;
  const auto errors = static_cast<int>(
      std::count_if(instances.begin(), instances.end(),
                    [](const CanvasScene::Instance& i) { return i.facts.isError(); }));
  const int now = canvas()->pinned();
  const int next = now < 0 ? (by > 0 ? 0 : errors - 1) : now + by;
  if (next >= 0 && next < errors) choose(next);
}

}  // namespace lockstep::widgets
