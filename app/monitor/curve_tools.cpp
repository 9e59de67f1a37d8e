#include "app/monitor/curve_tools.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <cmath>

#include "widgets/plots/axis_choice.h"
#include "widgets/role.h"
#include "widgets/slider.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

constexpr int kPositions = 1000;  ///< slider position for a weight of 1, one above its maximum
constexpr int kDefaultSmoothing = 600;

}  // namespace

CurveTools::CurveTools(QWidget* parent) : QWidget(parent), lastSmoothing_(kDefaultSmoothing) {
  buildUi();
  connectSignals();
  showSmoothing();
}

void CurveTools::buildUi() {
  setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
  words_ = new QLineEdit;
  words_->setObjectName(QStringLiteral("cardSearch"));
  words_->setAccessibleName(tr("Search cards"));
  words_->setToolTip(tr("Words of a title or a tag: rpn, AP class"));
  words_->setClearButtonEnabled(true);
  auto* clear = new QAction(words_);
  clear->setShortcut(Qt::Key_Escape);
  clear->setShortcutContext(Qt::WidgetShortcut);
  words_->addAction(clear);
  connect(clear, &QAction::triggered, words_, &QLineEdit::clear);
  smoothingLabel_ = new QLabel(tr("Smoothing"));
  widgets::setRole(smoothingLabel_, "muted");
  smoothing_ = new widgets::Slider;
  smoothing_->setRange(0, kPositions - 1);
  smoothing_->setValue(kDefaultSmoothing);
  smoothing_->setAccessibleName(tr("Smoothing"));
  smoothing_->setToolTip(
      tr("Weight of the exponential moving average, 0 to 0.999. S switches it off and on.\n"
         "The raw curve stays visible behind."));
  smoothingText_ = new QLabel;
  widgets::setRole(smoothingText_, "mono");
  smoothingText_->setFixedWidth(widgets::scaledPx(40));
  xAxis_ = new widgets::AxisChoice;
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 16, 0);
  row->setSpacing(8);
  row->addWidget(words_);
  row->addSpacing(8);
  row->addWidget(smoothingLabel_);
  row->addWidget(smoothing_);
  row->addWidget(smoothingText_);
  row->addSpacing(8);
  row->addWidget(xAxis_);
  setSpacious(true);
}

void CurveTools::connectSignals() {
  connect(smoothing_, &widgets::Slider::valueChanged, this, [this](int position) {
    showSmoothing();
    if (position > 0) lastSmoothing_ = position;
    Q_EMIT smoothingChanged(smoothing());
  });
  connect(words_, &QLineEdit::textChanged, this, &CurveTools::wordsChanged);
  connect(xAxis_, &widgets::AxisChoice::axisChanged, this, &CurveTools::xAxisChanged);
}

void CurveTools::showSmoothing() { smoothingText_->setText(QString::number(smoothing(), 'g', 3)); }

double CurveTools::smoothing() const {
  return static_cast<double>(smoothing_->value()) / kPositions;
}

void CurveTools::setSmoothing(double weight) {
  smoothing_->setValue(static_cast<int>(std::lround(weight * kPositions)));
}

QString CurveTools::words() const { return words_->text().trimmed(); }

void CurveTools::setWords(const QString& words) { words_->setText(words); }

void CurveTools::setXAxis(widgets::XAxis axis) { xAxis_->setAxis(axis); }

void CurveTools::focusSearch() {
  words_->setFocus(Qt::ShortcutFocusReason);
  words_->selectAll();
}

void CurveTools::toggleSmoothing() {
  smoothing_->setValue(smoothing_->value() > 0 ? 0 : lastSmoothing_);
}

bool CurveTools::fit(int widthPx) {
  setSpacious(true);
  if (sizeHint().width() > widthPx) setSpacious(false);
  return sizeHint().width() <= widthPx;
}

QSize CurveTools::minimumSizeHint() const { return {0, QWidget::minimumSizeHint().height()}; }

void CurveTools::setSpacious(bool isSpacious) {
  smoothingLabel_->setVisible(isSpacious);
  smoothingText_->setVisible(isSpacious);
  smoothing_->setFixedWidth(isSpacious ? 110 : 50);
  words_->setFixedWidth(widgets::scaledPx(isSpacious ? 160 : 68));
  xAxis_->setMaximumWidth(isSpacious ? QWIDGETSIZE_MAX : widgets::scaledPx(88));
  words_->setPlaceholderText(isSpacious ? tr("Search cards") : tr("Search"));
}

}  // namespace lockstep::app
