#include "widgets/message_text.h"

#include <QAbstractTextDocumentLayout>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>
#include <algorithm>
#include <cmath>

namespace lockstep::widgets {
namespace {

constexpr int kMostLines = 6;

/// px, of a line as it is laid out: text of other scripts makes higher ones than the font says.
/// Of the last where there are fewer.
double bottomOfLine(int number, const QTextDocument& text) {
  double bottom = 0;
  for (QTextBlock block = text.begin(); block.isValid() && number > 0; block = block.next()) {
    const double top = text.documentLayout()->blockBoundingRect(block).top();
    const QTextLayout& lines = *block.layout();
    for (int i = 0; i < lines.lineCount() && number > 0; ++i, --number)
      bottom = top + lines.lineAt(i).rect().bottom();
  }
  return bottom;
}

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
  const int wanted = static_cast<int>(std::ceil(wantedPx));
  const int most = static_cast<int>(std::ceil(bottomOfLine(kMostLines, *document())));
  setVerticalScrollBarPolicy(wanted > most ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
  const QMargins border = contentsMargins();
  setFixedHeight(std::min(wanted, most) + border.top() + border.bottom());
}

}  // namespace lockstep::widgets
