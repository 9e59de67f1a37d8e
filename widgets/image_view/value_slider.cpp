#include "widgets/image_view/value_slider.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "widgets/elided_label.h"
#include "widgets/role.h"
#include "widgets/slider.h"

namespace lockstep::widgets {

ValueSlider::ValueSlider(const QString& title, std::function<QString(int)> text, QWidget* parent)
    : QWidget(parent), text_(std::move(text)) {
  title_ = new ElidedLabel(title, Qt::ElideRight);
  valueText_ = new QLabel;
  setRole(valueText_, "mono");
  slider_ = new Slider;
  slider_->setAccessibleName(title);
  slider_->setMinimumHeight(16);
  auto* line = new QHBoxLayout;
  line->addWidget(title_);
  line->addStretch();
  line->addWidget(valueText_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  column->addLayout(line);
  column->addWidget(slider_);
  connect(slider_, &Slider::valueChanged, this, [this](int value) {
    refreshText();
    Q_EMIT valueChosen(value);
  });
}

void ValueSlider::setRange(int minimum, int maximum) {
  const QSignalBlocker blocker(slider_);
  slider_->setRange(minimum, maximum);
  slider_->setEnabled(maximum > minimum);
  refreshText();
}

void ValueSlider::setValue(int value) {
  const QSignalBlocker blocker(slider_);
  slider_->setValue(value);
  refreshText();
}

int ValueSlider::value() const { return slider_->value(); }
void ValueSlider::stepBy(int by) { slider_->setValue(slider_->value() + by); }

void ValueSlider::setTitle(const QString& title) {
  title_->setText(title);
  slider_->setAccessibleName(title);
}

void ValueSlider::refreshText() { valueText_->setText(text_(slider_->value())); }

}  // namespace lockstep::widgets
