#include "widgets/image_view/explain_panel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QScrollArea>
#include <QStackedLayout>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "widgets/empty_state.h"
#include "widgets/instances/class_name.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

/// Paints an entry of a list with a figure at its right end.
class StepDelegate : public QStyledItemDelegate {
 public:
  static constexpr int kCountRole = Qt::UserRole;  ///< QString

  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    QStyledItemDelegate::paint(painter, option, index);
    painter->save();
    painter->setFont(monoFont(11));
    painter->setPen(currentTheme().textMuted);
    painter->drawText(option.rect.adjusted(0, 0, -scaledPx(kEdgePx), 0),
                      Qt::AlignRight | Qt::AlignVCenter, index.data(kCountRole).toString());
    painter->restore();
  }

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    return {QStyledItemDelegate::sizeHint(option, index).width(), scaledPx(kRowPx)};
  }

 private:
  static constexpr int kRowPx = 26, kEdgePx = 8;
};

}  // namespace

ExplainPanel::ExplainPanel(QWidget* parent)
    : QWidget(parent), sceneJob_([this](const auto& scene) { Q_EMIT sceneChanged(scene); }) {
  buildUi();
  setClasses({});
  connect(message_, &EmptyState::actionTriggered, this, &ExplainPanel::handleButton);
  connect(steps_, &QListWidget::currentRowChanged, this, [this](int row) {
    step_ = static_cast<ExplainStep>(std::max(0, row));
    showSteps();
    draw();
  });
  connect(levels_, &QComboBox::currentIndexChanged, this, [this](int place) {
    choice_.level = place > 0 ? std::optional(place - 1) : std::nullopt;
    draw();
  });
  showState();
}

void ExplainPanel::buildUi() {
  setAccessibleName(tr("Explanation of the image"));
  message_ = new EmptyState;
  message_->setCompact(true);
  content_ = new QScrollArea;
  content_->setFrameShape(QFrame::NoFrame);
  content_->setFocusPolicy(Qt::NoFocus);
  content_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  content_->setWidgetResizable(true);
  content_->setWidget(buildSteps());
  stack_ = new QStackedLayout(this);
  stack_->addWidget(message_);
  stack_->addWidget(content_);
}

QWidget* ExplainPanel::buildSteps() {
  steps_ = new QListWidget;
  steps_->setAccessibleName(tr("Steps from the image to its masks"));
  steps_->setItemDelegate(new StepDelegate(steps_));
  steps_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  for (int i = 0; i < kExplainSteps; ++i)
    steps_->addItem(tr("%1  %2").arg(i + 1).arg(explainStepName(static_cast<ExplainStep>(i))));
  steps_->setCurrentRow(0);
  steps_->setFixedHeight(kExplainSteps * steps_->sizeHintForRow(0) + scaledPx(4));
  help_ = new QLabel;
  help_->setWordWrap(true);
  setRole(help_, "muted");
  levels_ = new QComboBox;
  levels_->setAccessibleName(tr("Level of the pyramid"));
  title_ = new QLabel;
  title_->setFont(interfaceFont(kDesktopFontSize, QFont::DemiBold));
  title_->setWordWrap(true);
  verdict_ = new QLabel;
  verdict_->setWordWrap(true);
  auto* content = new QWidget;
  setRole(content, "panel");
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(16, 10, 16, 10);
  column->setSpacing(8);
  column->addWidget(steps_);
  column->addWidget(help_);
  column->addWidget(levels_);
  column->addSpacing(3);
  column->addWidget(title_);
  column->addWidget(verdict_);
  facts_ = new QGridLayout;
  facts_->setColumnStretch(1, 1);
  facts_->setHorizontalSpacing(scaledPx(12));
  column->addLayout(facts_);
  column->addStretch();
  return content;
}

bool ExplainPanel::isOf(ImageId image, qint64 step) const {
  return subject_ && subject_->image == image && subject_->step == step;
}

void ExplainPanel::setSubject(const std::optional<Subject>& subject) {
  if (subject == subject_) return;
  const bool isSame = subject && isOf(subject->image, subject->step);
  if (!isSame) {
    cancel();
    state_ = State::None;
    explanation_.reset();
  }
  subject_ = subject;
  showState();
  if (!isSame) draw();
  askIfWanted();
}

void ExplainPanel::setClasses(const std::vector<coco::Category>& classes) {
  classNames_ = [classes](CategoryId id) {
    const auto found = std::ranges::find(classes, id, &coco::Category::id);
    return found == classes.end() ? QString::number(id.value) : nameOf(*found);
  };
}

void ExplainPanel::setActive(bool active) {
  if (active == isActive_) return;
  isActive_ = active;
  askIfWanted();
  draw();
}

void ExplainPanel::setLayers(bool anchors, bool proposals) {
  if (choice_.anchors == anchors && choice_.proposals == proposals) return;
  choice_.anchors = anchors;
  choice_.proposals = proposals;
  askIfWanted();
  draw();
}

void ExplainPanel::setScoreThreshold(double threshold) {
  if (choice_.scoreThreshold == threshold) return;
  choice_.scoreThreshold = threshold;
  showFacts();
  draw();
}

void ExplainPanel::setChosen(const std::optional<InstanceFacts>& instance) {
  const auto missedBefore = missed();
  chosen_ = instance;
  const ExplainedObject object =
      explanation_ && chosen_ ? objectOf(*chosen_, *explanation_) : ExplainedObject();
  if (object == choice_.object && missed() == missedBefore) return;
  choice_.object = object;
  showFacts();
  draw();
}

void ExplainPanel::setExplanation(ImageId image, qint64 step, Explanation explanation) {
  if (!isOf(image, step)) return;
  explanation_ = std::move(explanation);
  state_ = State::There;
  choice_.object = chosen_ ? objectOf(*chosen_, *explanation_) : ExplainedObject();
  showState();
  draw();
}

void ExplainPanel::setFailed(ImageId image, qint64 step, const QString& error) {
  if (!isOf(image, step) || state_ != State::Waiting) return;
  failure_ = error;
  state_ = State::Failed;
  showState();
}

void ExplainPanel::refresh() { draw(); }

void ExplainPanel::askIfWanted() {
  if (state_ == State::None && isWanted()) ask();
}

void ExplainPanel::ask() {
  if (!subject_ || !subject_->blockedBy.isEmpty()) return;
  state_ = State::Waiting;
  showState();
  Q_EMIT requested(subject_->image, subject_->step);
}

void ExplainPanel::cancel() {
  if (state_ != State::Waiting) return;
  state_ = State::Canceled;
  showState();
  Q_EMIT canceled(subject_->image, subject_->step);
}

void ExplainPanel::handleButton() {
  if (state_ == State::Waiting) {
    cancel();
  } else {
    ask();
  }
}

/// The explanation, or why there is none.
void ExplainPanel::showState() {
  if (state_ == State::There) {
    levels_->clear();
    levels_->addItem(tr("All levels"));
    for (std::size_t i = 0; i < explanation_->levels.size(); ++i)
      levels_->addItem(levelName(*explanation_, static_cast<int>(i)));
    showSteps();
    showFacts();
    return stack_->setCurrentWidget(content_);
  }
  stack_->setCurrentWidget(message_);
  if (!subject_) return message_->setContent(tr("No image to explain"), {}, {});
  if (state_ == State::Waiting)
    return message_->setContent(
        tr("Explaining with the checkpoint of step %1…").arg(subject_->step), {}, tr("Cancel"));
  if (!subject_->blockedBy.isEmpty())
    return message_->setContent(tr("This image cannot be explained now"), subject_->blockedBy, {});
  if (state_ == State::Failed)
    return message_->setContent(tr("The image could not be explained"), failure_, tr("Try again"));
  message_->setContent(tr("How do these predictions come about?"),
                       tr("From anchors over proposals and boxes to masks, step by step."),
                       tr("Explain this image"));
}

void ExplainPanel::showSteps() {
  if (!explanation_) return;
  for (int row = 0; row < kExplainSteps; ++row) {
    const auto step = static_cast<ExplainStep>(row);
    QListWidgetItem* item = steps_->item(row);
    const QString count = explainStepCount(step, *explanation_);
    item->setData(StepDelegate::kCountRole, count);
    item->setToolTip(explainStepHelp(step, *explanation_));
    item->setData(Qt::AccessibleTextRole, QString(item->text() % QStringLiteral(": ") % count));
  }
  help_->setText(explainStepHelp(step_, *explanation_));
  levels_->setEnabled(step_ < ExplainStep::Boxes || choice_.anchors || choice_.proposals);
}

void ExplainPanel::showFacts() {
  if (!explanation_) return;
  const ExplanationFacts facts =
      factsOf(choice_.object, missed(), *explanation_, classNames_, choice_.scoreThreshold);
  title_->setText(facts.title);
  verdict_->setText(facts.verdict);
  verdict_->setVisible(!facts.verdict.isEmpty());
  while (QLayoutItem* old = facts_->takeAt(0)) {
    delete old->widget();
    delete old;
  }
  int row = 0;
  for (const auto& [name, value] : facts.rows) {
    auto* label = new QLabel(name);
    setRole(label, "muted");
    label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* text = new QLabel(value);
    text->setFont(monoFont(11));
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    text->setAccessibleName(QString(name % QStringLiteral(": ") % value));
    facts_->addWidget(label, row, 0);
    facts_->addWidget(text, row++, 1);
  }
}

/// Builds the scene, off the GUI thread.
void ExplainPanel::draw() {
  sceneJob_.cancel();
  if (!explanation_ || !isWanted()) return Q_EMIT sceneChanged(nullptr);
  ExplanationChoice choice = choice_;
  if (isActive_) choice.step = step_;
  sceneJob_.request([explanation = explanation_, choice, theme = &currentTheme()] {
    return std::make_shared<const ExplanationScene>(explanationScene(*explanation, choice, *theme));
  });
}

}  // namespace lockstep::widgets
