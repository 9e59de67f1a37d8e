#include "widgets/banner.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QTextLayout>
#include <QTextOption>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <vector>

#include "widgets/control_paint.h"
#include "widgets/message_text.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

/// Around the frame.
constexpr QMargins kOutside(16, 12, 16, 0);
constexpr QMargins kInside(13, 10, 9, 10);
constexpr int kSpacingPx = 10, kMarkPx = 20, kLeastTextPx = 320, kTipPx = 480;
constexpr std::size_t kMostTitleLines = 4, kMostLinesBeside = 3;
constexpr QTextOption::WrapMode kTitleWrap = QTextOption::WordWrap;  // as labels do

QColor colorOf(Banner::Kind kind) {
  const Theme& theme = currentTheme();
  return kind == Banner::Kind::Error     ? theme.error
         : kind == Banner::Kind::Warning ? theme.warning
                                         : theme.accent;
}

/// Where each line of a wrapped text begins.
std::vector<int> lineStarts(const QString& text, const QFont& font, int widthPx,
                            QTextOption::WrapMode wrap) {
  std::vector<int> starts;
  if (text.isEmpty()) return starts;
  QString lines = text;
  QTextLayout layout(lines.replace(u'\n', QChar::LineSeparator), font);
  QTextOption option;
  option.setWrapMode(wrap);
  layout.setTextOption(option);
  layout.beginLayout();
  for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
    line.setLineWidth(std::max(1, widthPx));
    starts.push_back(line.textStart());
  }
  layout.endLayout();
  return starts;
}

/// Breaks a text into lines: a tool tip wraps plain text only at the width of the screen.
QString wrapped(const QString& text, const QFont& font, int widthPx) {
  QString lines = text;
  const std::vector<int> starts =
      lineStarts(text, font, widthPx, QTextOption::WrapAtWordBoundaryOrAnywhere);
  for (auto start = starts.rbegin(); start != starts.rend(); ++start)
    if (*start > 0 && text[*start - 1] != u'\n') lines.insert(*start, u'\n');
  return lines;
}

/// The first lines of a title, with … for the others.
QString firstLines(const QString& text, const QFont& font, int widthPx, std::size_t most) {
  const std::vector<int> starts = lineStarts(text, font, widthPx, kTitleWrap);
  if (starts.size() <= most) return text;
  const int lastStart = starts[most - 1];
  const QString last = text.mid(lastStart).replace(u'\n', u' ');
  return text.left(lastStart) + QFontMetrics(font).elidedText(last, Qt::ElideRight, widthPx);
}

}  // namespace

/// "!" or "i" on a disc.
class Banner::Mark : public QWidget {
 public:
  explicit Mark(Banner* banner) : QWidget(banner), banner_(banner) {
    setFixedSize(scaledPx(kMarkPx), scaledPx(kMarkPx));
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    paint::drawBox(painter, rect(), {colorOf(banner_->kind_), {}, width() / 2.0});
    painter.setPen(currentTheme().card);
    painter.setFont(interfaceFont(13, QFont::Bold));
    painter.drawText(rect(), Qt::AlignCenter,
                     banner_->kind_ == Kind::Info ? QStringLiteral("i") : QStringLiteral("!"));
  }

 private:
  Banner* banner_;
};

Banner::Banner(QWidget* parent) : QFrame(parent) {
  buildUi();
  connectSignals();
  hide();
}

void Banner::buildUi() {
  setObjectName(QStringLiteral("banner"));
  auto* mark = new Mark(this);
  title_ = new QLabel;
  title_->setFont(interfaceFont(13, QFont::DemiBold));
  title_->setWordWrap(true);
  title_->setMinimumWidth(scaledPx(60));  // otherwise the width of its longest word
  detail_ = new MessageText;
  action_ = new QPushButton;
  otherAction_ = new QPushButton;
  copy_ = new QToolButton;
  copy_->setText(tr("Copy"));
  setRole(copy_, "quiet");
  close_ = new QToolButton;
  close_->setText(tr("Dismiss"));
  setRole(close_, "quiet");

  texts_ = new QVBoxLayout;
  texts_->setSpacing(2);
  texts_->addWidget(title_);
  texts_->addWidget(detail_);
  buttons_ = new QWidget;
  auto* buttons = new QHBoxLayout(buttons_);
  buttons->setContentsMargins(0, 0, 0, 0);
  buttons->setSpacing(kSpacingPx);
  for (QWidget* button : std::initializer_list<QWidget*>{action_, otherAction_, copy_, close_})
    buttons->addWidget(button, 0, Qt::AlignVCenter);
  row_ = new QHBoxLayout(this);
  row_->setContentsMargins(kOutside + kInside);
  row_->setSpacing(kSpacingPx);
  row_->addWidget(mark, 0, Qt::AlignTop);
  row_->addLayout(texts_, 1);
  row_->addWidget(buttons_, 0, Qt::AlignVCenter);
}

/// The buttons stand below texts that they would leave too little room.
void Banner::fit() {
  const QMargins margins = row_->contentsMargins();
  const int all = width() - margins.left() - margins.right() - scaledPx(kMarkPx) - kSpacingPx;
  const int beside = all - buttons_->sizeHint().width() - kSpacingPx;
  const auto linesBeside = [this, beside] {
    return lineStarts(whole_, title_->font(), beside, kTitleWrap).size() +
           lineStarts(detail(), detail_->font(), beside, detail_->wordWrapMode()).size();
  };
  const bool areBelow = beside < scaledPx(kLeastTextPx) && linesBeside() > kMostLinesBeside;
  if (areBelow != (texts_->indexOf(buttons_) >= 0)) {
    row_->removeWidget(buttons_);
    texts_->removeWidget(buttons_);
    if (areBelow)
      texts_->addWidget(buttons_, 0, Qt::AlignLeft);
    else
      row_->addWidget(buttons_, 0, Qt::AlignVCenter);
  }
  const int textPx = std::max(title_->minimumWidth(), areBelow ? all : beside);
  title_->setText(firstLines(whole_, title_->font(), textPx, kMostTitleLines));
  const bool isWhole = title_->text() == whole_;
  title_->setToolTip(isWhole ? QString() : wrapped(whole_, QToolTip::font(), scaledPx(kTipPx)));
}

void Banner::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  fit();
}

void Banner::connectSignals() {
  connect(action_, &QPushButton::clicked, this, &Banner::actionTriggered);
  connect(otherAction_, &QPushButton::clicked, this, &Banner::otherActionTriggered);
  connect(copy_, &QToolButton::clicked, this,
          [this] { QApplication::clipboard()->setText(title() + QLatin1Char('\n') + detail()); });
  connect(close_, &QToolButton::clicked, this, &Banner::dismiss);
}

void Banner::showMessage(Kind kind, const QString& title, const QString& detail,
                         const QString& action, const QString& dismiss) {
  kind_ = kind;
  whole_ = title;
  detail_->setMessage(detail);
  detail_->setVisible(!detail.isEmpty());
  action_->setText(action);
  action_->setVisible(!action.isEmpty());
  copy_->setVisible(kind == Kind::Error);
  close_->setText(dismiss.isEmpty() ? tr("Dismiss") : dismiss);
  setOtherAction({});  // fits
  update();
  show();
}

void Banner::setOtherAction(const QString& action) {
  otherAction_->setText(action);
  otherAction_->setVisible(!action.isEmpty());
  fit();
}

void Banner::dismiss() {
  hide();
  Q_EMIT dismissed();
}

void Banner::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paint::drawBox(painter, rect().marginsRemoved(kOutside),
                 {currentTheme().card, colorOf(kind_), 8});
}

QString Banner::title() const { return whole_; }
QString Banner::detail() const { return detail_->toPlainText(); }
QString Banner::action() const { return action_->text(); }
QString Banner::otherAction() const { return otherAction_->text(); }

}  // namespace lockstep::widgets
