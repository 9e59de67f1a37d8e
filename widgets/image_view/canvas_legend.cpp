#include "widgets/image_view/canvas_legend.h"

#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <array>

#include "widgets/image_view/canvas_scene.h"
#include "widgets/image_view/explanation_painter.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/verdict_style.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kStrokePx = 22, kLegendGapPx = 6, kApartPx = 16;
constexpr double kPenPx = 2.0;

using Entries = std::vector<CanvasLegend::Entry>;

void addTruths(Entries& entries, const CanvasScene& scene, const CanvasLayers& layers,
               const Theme& theme) {
  const auto has = [&](bool isCrowd) {
    return std::ranges::any_of(scene.groundTruths, [&](const CanvasScene::GroundTruth& truth) {
      return truth.isCrowd == isCrowd && !truth.isMissed;
    });
  };
  if (layers.groundTruth && has(false))
    entries.push_back({QPen(theme.groundTruth, kPenPx), CanvasLegend::tr("ground truth"), true,
                       CanvasLegend::tr("GT")});
  if (layers.crowds && has(true))
    entries.push_back(
        {QPen(theme.groundTruth, kPenPx, Qt::DashDotLine), CanvasLegend::tr("crowd region"), true});
}

/// Their dashes; also their colours if these stand for them.
void addVerdicts(Entries& entries, const CanvasScene& scene, const CanvasLayers& layers,
                 const Theme& theme) {
  for (const Verdict verdict : {Verdict::TruePositive, Verdict::FalsePositive, Verdict::Missed,
                                Verdict::Ignored, Verdict::Unjudged}) {
    const bool isDrawn = (layers.groundTruth || verdict != Verdict::Missed) &&
                         std::ranges::any_of(scene.instances, [&](const auto& instance) {
                           return instance.facts.verdict == verdict;
                         });
    if (!isDrawn) continue;
    QPen pen = verdictPen(verdict, theme, kPenPx);
    const bool keepsColour = scene.colourBy == ColourBy::Verdict ||
                             (scene.colourBy == ColourBy::Score && verdict == Verdict::Missed);
    if (!keepsColour) pen.setColor(theme.text);
    entries.push_back({pen, verdictName(verdict), false, verdictAbbreviation(verdict)});
  }
}

void addColours(Entries& entries, const CanvasScene& scene, const Theme& theme) {
  if (scene.colourBy == ColourBy::Score) {
    for (const double score : {0.0, 0.5, 1.0})
      entries.push_back(
          {QPen(scoreColour(score, theme), kPenPx * 3), CanvasLegend::tr("score %1").arg(score)});
  }
  if (scene.colourBy != ColourBy::Class) return;
  for (const CanvasScene::Instance& instance : scene.instances) {
    const bool isKnown = std::ranges::any_of(
        entries, [&](const auto& entry) { return entry.text == instance.className; });
    if (!isKnown) entries.push_back({QPen(instance.colour, kPenPx * 3), instance.className});
  }
}

void addExplanation(Entries& entries, const ExplanationScene& scene, const Theme& theme) {
  using Kind = ExplanationScene::Kind;
  if (scene.hasHeat)
    entries.push_back({QPen(heatColour(), kPenPx * 3), CanvasLegend::tr("high probability")});
  for (const Kind kind :
       {Kind::Truth, Kind::MatchedAnchor, Kind::Anchor, Kind::Proposal, Kind::Detection}) {
    const bool hasOutline = kind == Kind::Detection && !scene.outlines.empty();
    if (hasOutline ||
        std::ranges::any_of(scene.boxes, [&](const auto& box) { return box.kind == kind; }))
      entries.push_back(
          {explanationPen(kind, theme, kPenPx), explanationKindName(kind), kind == Kind::Truth});
  }
}

}  // namespace

CanvasLegend::CanvasLegend(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Legend"));
  setFont(interfaceFont(11));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void CanvasLegend::show(const std::shared_ptr<const CanvasScene>& scene,
                        const CanvasLayers& layers) {
  ofScene_.clear();
  isOfCrops_ = false;
  if (scene) {
    addTruths(ofScene_, *scene, layers, currentTheme());
    if (layers.masks || layers.boxes) {
      addVerdicts(ofScene_, *scene, layers, currentTheme());
      addColours(ofScene_, *scene, currentTheme());
    }
  }
  combine();
}

void CanvasLegend::showVerdicts(const std::set<Verdict>& verdicts) {
  ofScene_.clear();
  isOfCrops_ = true;
  for (const Verdict verdict : verdicts)
    ofScene_.push_back({verdictPen(verdict, currentTheme(), kPenPx), verdictName(verdict), false,
                        verdictAbbreviation(verdict)});
  combine();
}

void CanvasLegend::setExplanation(const std::shared_ptr<const ExplanationScene>& explanation) {
  ofExplanation_.clear();
  if (explanation) addExplanation(ofExplanation_, *explanation, currentTheme());
  combine();
}

void CanvasLegend::combine() {
  entries_ = ofScene_;
  for (const Entry& entry : ofExplanation_) {
    const auto isSame = [&](const Entry& other) { return other.text == entry.text; };
    if (!isOfCrops_ && std::ranges::none_of(ofScene_, isSame)) entries_.push_back(entry);
  }
  setToolTip(spokenValue());
  update();
}

QString CanvasLegend::spokenValue() const {
  QStringList texts;
  for (const Entry& entry : entries_) texts << entry.text;
  return texts.join(QStringLiteral(", "));
}

QSize CanvasLegend::sizeHint() const {
  return {scaledPx(300), QFontMetrics(font()).height() + scaledPx(4)};
}

/// With its stroke, and apart from the next one.
int CanvasLegend::widthOf(const QString& text) const {
  return scaledPx(kStrokePx) + scaledPx(kLegendGapPx) +
         QFontMetrics(font()).horizontalAdvance(text) + scaledPx(kApartPx);
}

QStringList CanvasLegend::shownTexts() const {
  QStringList texts, shortTexts;
  int all = scaledPx(kLegendGapPx) - scaledPx(kApartPx);
  for (const Entry& entry : entries_) {
    texts << entry.text;
    shortTexts << (entry.shortText.isEmpty() ? entry.text : entry.shortText);
    all += widthOf(entry.text);
  }
  return all > width() ? shortTexts : texts;
}

/// Whole entries; of those without room the number is said.
void CanvasLegend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const QStringList texts = shownTexts();
  const int stroke = scaledPx(kStrokePx), gap = scaledPx(kLegendGapPx), apart = scaledPx(kApartPx);
  const int restWidth =
      QFontMetrics(font()).horizontalAdvance(tr("+%1").arg(entries_.size())) + apart;
  const int middle = height() / 2;
  int x = gap;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const QString& text = texts.at(static_cast<qsizetype>(i));
    const int end = x + widthOf(text) - apart;
    const bool isLast = i + 1 == entries_.size();
    painter.setPen(currentTheme().textMuted);
    if (end + (isLast ? 0 : restWidth) > width()) {
      painter.drawText(QRect(x, 0, width() - x, height()), Qt::AlignVCenter | Qt::AlignLeft,
                       tr("+%1").arg(entries_.size() - i));
      return;
    }
    painter.drawText(QRect(x + stroke + gap, 0, end - x, height()),
                     Qt::AlignVCenter | Qt::AlignLeft, text);
    if (entries_[i].hasHalo) {
      painter.setPen(QPen(currentTheme().groundTruthHalo, kPenPx * 2));
      painter.drawLine(x, middle, x + stroke, middle);
    }
    painter.setPen(entries_[i].pen);
    painter.drawLine(x, middle, x + stroke, middle);
    x = end + apart;
  }
}

}  // namespace lockstep::widgets
