#include "widgets/banner.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/control_paint.h"
#include "widgets/message_text.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

/// Around the frame.
constexpr QMargins kOutside(16, 12, 16, 0);
constexpr QMargins kInside(13, 10, 9, 10);

QColor colorOf(Banner::Kind kind) {
  const Theme& theme = currentTheme();
  return kind == Banner::Kind::Error     ? theme.error
         : kind == Banner::Kind::Warning ? theme.warning
                                         : theme.accent;
}

}  // namespace

/// "!" or "i" on a disc.
class Banner::Mark : public QWidget {
 public:
  explicit Mark(Banner* banner) : QWidget(banner), banner_(banner) {
    setFixedSize(scaledPx(20), scaledPx(20));
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
  title_->setTextFormat(Qt::PlainText);
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

  auto* texts = new QVBoxLayout;
  texts->setSpacing(2);
  texts->addWidget(title_);
  texts->addWidget(detail_);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(kOutside + kInside);
  row->setSpacing(10);
  row->addWidget(mark, 0, Qt::AlignTop);
  row->addLayout(texts, 1);
  for (QWidget* button : std::initializer_list<QWidget*>{action_, otherAction_, copy_, close_})
    row->addWidget(button, 0, Qt::AlignVCenter);
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
  title_->setText(title);
  detail_->setMessage(detail);
  detail_->setVisible(!detail.isEmpty());
  action_->setText(action);
  action_->setVisible(!action.isEmpty());
  setOtherAction({});
  copy_->setVisible(kind == Kind::Error);
  close_->setText(dismiss.isEmpty() ? tr("Dismiss") : dismiss);
  update();
  show();
}

void Banner::setOtherAction(const QString& action) {
  otherAction_->setText(action);
  otherAction_->setVisible(!action.isEmpty());
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

QString Banner::title() const { return title_->text(); }
QString Banner::detail() const { return detail_->toPlainText(); }
QString Banner::action() const { return action_->text(); }
QString Banner::otherAction() const { return otherAction_->text(); }

}  // namespace lockstep::widgets
