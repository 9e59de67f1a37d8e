#include "widgets/image_view/layer_buttons.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <array>

#include "widgets/named_action.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kNameWidthPx = 220, kAllFromPx = 420;
constexpr std::array kFillPercents{100, 40, 0};

}  // namespace

LayerButtons::LayerButtons(QWidget* parent) : QWidget(parent) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(2);
  groundTruth_ = add("predictions.ground_truth", QStringLiteral("G"), tr("ground truth"));
  groundTruth_->setToolTip(tr("Show or hide ground truth, including false negatives (G)"));
  masks_ = add("predictions.masks", QStringLiteral("M"), tr("masks"));
  boxes_ = add("predictions.boxes", QStringLiteral("B"), tr("boxes"));
  labels_ = add("predictions.labels", QStringLiteral("T"), tr("labels"));
  crowds_ = add("predictions.crowds", QStringLiteral("K"), tr("crowd regions"));
  proposals_ = addHidden("predictions.proposals", QStringLiteral("Q"), tr("proposals"));
  anchors_ = addHidden("predictions.anchors", QStringLiteral("H"), tr("anchors"));
  addFill();
  showNames(Names::None);  // names would widen a narrow window before fitInto()
}

/// The key works wherever the focus is on the page, which is this widget's parent.
QToolButton* LayerButtons::add(const char* id, const QString& key, const QString& name) {
  auto* button = new QToolButton;
  button->setText(key % QLatin1Char(' ') % name);
  button->setAccessibleName(name);
  button->setCheckable(true);
  button->setChecked(true);
  button->setToolTip(tr("Show or hide %1 (%2)").arg(name, key));
  setRole(button, "small");
  layout()->addWidget(button);
  connect(button, &QToolButton::toggled, this, &LayerButtons::layersChanged);
  addNamedAction(parentWidget() ? parentWidget() : this, ActionPlace::Predictions, id,
                 tr("Show or hide %1").arg(name), {QKeySequence(key)},
                 [button] { button->toggle(); });
  return button;
}

/// Not shown at first: it needs an explanation of the image.
QToolButton* LayerButtons::addHidden(const char* id, const QString& key, const QString& name) {
  QToolButton* button = add(id, key, name);
  button->setChecked(false);
  return button;
}

void LayerButtons::addFill() {
  fill_ = new QToolButton;
  fill_->setToolTip(
      tr("Fills of the masks: strong, faint, or outlines only, which show the picture (O)"));
  setRole(fill_, "small");
  layout()->addWidget(fill_);
  connect(fill_, &QToolButton::clicked, this, [this] {
    fillPlace_ = (fillPlace_ + 1) % kFillPercents.size();
    showFill();
    Q_EMIT layersChanged();
  });
  addNamedAction(parentWidget() ? parentWidget() : this, ActionPlace::Predictions,
                 "predictions.fill", tr("Strength of the fills"), {QKeySequence(Qt::Key_O)},
                 [this] { fill_->click(); });
  showFill();
}

void LayerButtons::showFill() {
  const int percent = kFillPercents[fillPlace_];
  fill_->setAccessibleName(percent > 0 ? tr("fills %1 %").arg(percent) : tr("outlines"));
  fill_->setText(names_ != Names::None ? QStringLiteral("O ") % fill_->accessibleName()
                                       : QStringLiteral("O"));
}

void LayerButtons::fitInto(int widthPx) {
  if (allNamesWidthPx_ == 0) {
    showNames(Names::OfUsualLayers);
    usualNamesWidthPx_ = sizeHint().width();
    showNames(Names::All);
    allNamesWidthPx_ = sizeHint().width();
  }
  const int room = widthPx - scaledPx(kNameWidthPx);
  showNames(allNamesWidthPx_ <= room     ? Names::All
            : usualNamesWidthPx_ <= room ? Names::OfUsualLayers
                                         : Names::None);
  // The image's name matters more; their keys work.
  for (QToolButton* button : {proposals_, anchors_})
    button->setVisible(widthPx >= scaledPx(kAllFromPx));
}

void LayerButtons::showNames(Names names) {
  names_ = names;
  for (QToolButton* button : buttons()) {
    const bool isUsual = button != proposals_ && button != anchors_;
    const bool hasName = names == Names::All || (isUsual && names == Names::OfUsualLayers);
    const QString key = button->text().section(QLatin1Char(' '), 0, 0);
    button->setText(hasName ? key % QLatin1Char(' ') % button->accessibleName() : key);
  }
  showFill();
}

std::array<QToolButton*, 7> LayerButtons::buttons() const {
  return {groundTruth_, masks_, boxes_, labels_, crowds_, proposals_, anchors_};
}

CanvasLayers LayerButtons::layers() const {
  return {groundTruth_->isChecked(), masks_->isChecked(),    boxes_->isChecked(),
          labels_->isChecked(),      crowds_->isChecked(),   kFillPercents[fillPlace_],
          anchors_->isChecked(),     proposals_->isChecked()};
}

}  // namespace lockstep::widgets
