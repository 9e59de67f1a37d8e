#include "widgets/message_text.h"

#include <QAbstractTextDocumentLayout>
#include <QTextDocument>
#include <algorithm>
#include <cmath>

namespace lockstep::widgets {
namespace {

constexpr int kMostLines = 3;

}  // namespace

MessageText::MessageText(QWidget* parent) : QTextEdit(parent) {
  setObjectName(QStringLiteral("messageText"));
  setReadOnly(true);
  setAcceptRichText(false);
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::ClickFocus);
  setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setMinimumWidth(60);
  document()->setDocumentMargin(0);
  connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this,
          [this](const QSizeF& size) { fitHeight(size.height()); });
  setMessage({});
}

void MessageText::setMessage(const QString& text) {
  setPlainText(text);
  fitHeight(document()->size().height());  // now: a text is laid out when it is asked for
}

void MessageText::fitHeight(double wantedPx) {
  const int most = static_cast<int>(std::ceil(kMostLines * QFontMetricsF(font()).lineSpacing()));
  const int wanted = static_cast<int>(std::ceil(wantedPx));
  setVerticalScrollBarPolicy(wanted > most ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
  const QMargins border = contentsMargins();
  setFixedHeight(std::min(wanted, most) + border.top() + border.bottom());
}

}  // namespace lockstep::widgets
