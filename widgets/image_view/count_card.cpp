#include "widgets/image_view/count_card.h"

#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>

#include "widgets/curves/number_text.h"
#include "widgets/elided_label.h"
#include "widgets/image_view/verdict_style.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

QString verdictCaption(Verdict verdict) {
  return verdict == Verdict::TruePositive    ? CountCard::tr("true positives")
         : verdict == Verdict::FalsePositive ? CountCard::tr("false positives")
                                             : CountCard::tr("false negatives");
}

}  // namespace

CountCard::CountCard(Verdict verdict, QWidget* parent) : QFrame(parent), verdict_(verdict) {
  setRole(this, "card");
  all_ = new QLabel(QStringLiteral("–"));
  all_->setFont(monoFont(18));
  caption_ = new QLabel(verdictCaption(verdict));
  caption_->setFont(interfaceFont(11));
  caption_->setWordWrap(true);
  setRole(caption_, "muted");
  here_ = new ElidedLabel(Qt::ElideRight);
  here_->setFont(interfaceFont(11));
  setRole(here_, "faint");
  here_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // the caption sets the width
  setCounts({}, {});
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 7, 6, 7);
  column->setSpacing(1);
  for (QLabel* label : {all_, caption_, here_}) column->addWidget(label);
  applyColor();
}

void CountCard::setCounts(const std::optional<coco::Counts>& all,
                          const std::optional<coco::Counts>& here) {
  all_->setText(all ? countText(countOf(*all)) : QStringLiteral("–"));
  here_->setText(tr("this image: %1").arg(here ? countText(countOf(*here)) : QStringLiteral("–")));
  setAccessibleName(caption_->text() % QStringLiteral(": ") % all_->text());
}

qint64 CountCard::countOf(const coco::Counts& counts) const {
  return static_cast<qint64>(verdict_ == Verdict::TruePositive    ? counts.truePositives
                             : verdict_ == Verdict::FalsePositive ? counts.falsePositives
                                                                  : counts.falseNegatives);
}

QString CountCard::allText() const { return all_->text(); }

void CountCard::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) applyColor();
  QFrame::changeEvent(event);
}

/// Adjusts the verdict's colour until the number has the contrast of text with the card.
void CountCard::applyColor() {
  if (all_ == nullptr) return;  // called from the base constructor
  const Theme& theme = currentTheme();
  QColor colour = verdictColor(verdict_, theme);
  while (contrastRatio(colour, theme.card) < 4.5) {
    colour = theme.isDark ? colour.lighter(108) : colour.darker(108);
  }
  QPalette palette = all_->palette();
  palette.setColor(QPalette::WindowText, colour);
  all_->setPalette(palette);
}

}  // namespace lockstep::widgets
