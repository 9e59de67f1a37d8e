#include "widgets/image_view/predictions_view_impl.h"

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
#include "widgets/image_view/image_history_table.h"
#include "widgets/image_view/instance_table.h"
#include "widgets/image_view/layer_buttons.h"
#include "widgets/image_view/predictions_panel.h"
#include "widgets/image_view/thumbnail_strip.h"
#include "widgets/instances/image_order.h"
#include "widgets/role.h"

namespace lockstep::widgets {
namespace {

constexpr int kPrefetched = 3;

}  // namespace

QWidget* PredictionsView::Impl::buildImageSide(PredictionsView* view) {
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

void PredictionsView::Impl::showPage() {
  stack->setCurrentWidget(hasImages() ? static_cast<QWidget*>(page) : empty);
}

void PredictionsView::Impl::setStep(qint64 step) {
  if (step != session.step()) wasReady = false;
  session.setStep(step);
  panel->showCheckpoints(session.store(), step);
  panel->history()->showStep(step);
  showNotice();
}

/// If the step is no checkpoint, nobody chose it: shows the newest with predictions, else the
/// newest.
void PredictionsView::Impl::chooseStep() {
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

/// Shows only the image, or everything again.
void PredictionsView::Impl::toggleMaximized() {
  const bool wasMaximized = panelSide->isHidden();
  panelSide->setVisible(wasMaximized);
  strip->setVisible(wasMaximized);
  for (QWidget* widget :
       {static_cast<QWidget*>(filter), static_cast<QWidget*>(sort), static_cast<QWidget*>(place)}) {
    widget->setVisible(wasMaximized);
  }
}

void PredictionsView::Impl::showImageAt(int at) {
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
  showHistory();
}

void PredictionsView::Impl::moveImage(int by) {
  const int at = placeOf(session.imageIndex());
  showImageAt(std::clamp(at + by, 0, std::max(0, static_cast<int>(order.size()) - 1)));
}

void PredictionsView::Impl::showDecoded() {
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

void PredictionsView::Impl::showScene() {
  canvas()->setScene(session.scene());
  panel->table()->setScene(session.scene());
  panel->table()->showChosen(canvas()->pinned());
  showNotice();
}

void PredictionsView::Impl::showFacts() {
  const coco::Image& image = session.image();
  const auto objects = session.dataset()->annotationsOf(session.imageIndex()).size();
  name->setText(QString::fromStdString(image.fileName));
  facts->setText((objects == 1 ? tr("1 object") : tr("%1 objects").arg(objects)) %
                 QStringLiteral(" · %1 × %2 px").arg(image.width).arg(image.height) %
                 tr(" · image %1 of %2")
                     .arg(session.imageIndex() + 1)
                     .arg(session.dataset()->images().size()));
  place->setText(tr("%1 of %2").arg(placeOf(session.imageIndex()) + 1).arg(order.size()));
}

/// Shows a line at the bottom of the image: what is wrong with the file, or that it was not
/// predicted, with a button to predict it.
void PredictionsView::Impl::showNotice() {
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
        tr("This image was not predicted at step %1, and there is no checkpoint of it")
            .arg(session.step());
    return stage->setNotice(
        nearest ? tr("%1; the nearest checkpoint is that of step %2.").arg(text).arg(*nearest)
                : tr("%1.").arg(text));
  }
  const QString disabledReason = whyNotPredicted();
  if (request.state == PredictionStore::RequestState::Failed) {
    return stage->setNotice(tr("Prediction failed: %1").arg(request.failure), tr("Try again"),
                            disabledReason);
  }
  stage->setNotice(tr("This image was not predicted at step %1.").arg(session.step()),
                   tr("Predict this image"), disabledReason);
}

void PredictionsView::Impl::showCounts() {
  const CheckpointAnalysis* analysis = session.analysis();
  if (analysis && analysis->step() != session.step()) analysis = nullptr;
  panel->showCounts(analysis, hasImages() ? std::optional(session.image().id) : std::nullopt);
  showAp();
  showAllImages();
  const double score = panel->thresholds().score;
  std::vector<ThumbnailStrip::Mark> marks;
  for (std::size_t index : order) {
    ThumbnailStrip::Mark mark;
    if (analysis) {
      const auto counts =
          analysis->countsOf(session.dataset()->images()[index].id, score, panel->hidden());
      mark.isPredicted = counts.has_value();
      mark.counts = counts.value_or(coco::Counts());
    }
    marks.push_back(mark);
  }
  strip->setMarks(std::move(marks));
}

void PredictionsView::Impl::showAp() {
  panel->showAp(session.shownAp(), session.rules().type == coco::IouType::Mask);
}

void PredictionsView::Impl::showHistory() {
  panel->history()->setHistory(session.history());
  panel->history()->showStep(session.step());
}

/// Empty: an engine can be asked.
QString PredictionsView::Impl::whyNotPredicted() const {
  if (canPredict) return {};
  return unavailableReason.isEmpty() ? tr("No engine is available to predict.") : unavailableReason;
}

void PredictionsView::Impl::showAllImages() {
  PredictionsPanel::AllImages all;
  if (hasImages()) {
    const PredictionStore& store = session.store();
    const std::size_t predicted = store.at(session.step()).size();
    all.isOffered = store.isKept(session.step()) && predicted < session.dataset()->images().size();
    all.blockedBy = whyNotPredicted();
    if (const auto found = allImages.find(session.step()); found != allImages.end())
      all.progress = found->second;
  }
  panel->showAllImages(all);
}

/// Called when a filter is chosen or an analysis arrives, not while a slider moves, so that the
/// images do not jump.
void PredictionsView::Impl::rebuildOrder() {
  std::vector<std::size_t> newOrder;
  if (hasImages()) {
    const ImageOrder options{static_cast<ImageOrder::Filter>(filter->currentIndex()),
                             static_cast<ImageOrder::Sort>(sort->currentIndex()),
                             panel->thresholds().score, panel->hidden()};
    newOrder = orderedImages(*session.dataset(), session.analysis(), options);
  }
  if (newOrder == order && !order.empty()) return;
  order = std::move(newOrder);
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

void PredictionsView::Impl::choose(int instance) {
  if (instance < 0) return;
  canvas()->setPinned(instance);
  canvas()->reveal(instance);
  panel->table()->showChosen(instance);
}

void PredictionsView::Impl::moveInstance(int by) {
  choose(panel->table()->neighbour(canvas()->pinned(), by));
}

/// A scene has its worst instances first, so the errors are first.
void PredictionsView::Impl::moveError(int by) {
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
