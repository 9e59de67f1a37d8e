#include "widgets/message_text.h"

#include <QAbstractTextDocumentLayout>
#include <QDialog>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>
#include <algorithm>
#include <cmath>

#include "widgets/literal_text.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kMaxLines = 6;
/// Height of a window with room for one line, and for each further one.
constexpr int kOneLineFromPx = 380, kLineForPx = 40;

/// Bottom of line `number`, or of the last line if there are fewer, in px. Measured in the layout,
/// because some scripts have taller lines than the font says.
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
  viewport()->setAutoFillBackground(false);
  setRole(this, "muted");
  setFocusPolicy(Qt::ClickFocus);
  setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setMinimumWidth(60);
  document()->setDocumentMargin(0);
  connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this,
          &MessageText::fitHeight);
  setMessage({});
}

void MessageText::setMessage(const QString& text) {
  setPlainText(inertText(text));
  fitHeight();
}

void MessageText::showEvent(QShowEvent* event) {
  QTextEdit::showEvent(event);
  window()->installEventFilter(this);
  fitHeight();
}

bool MessageText::eventFilter(QObject* watched, QEvent* event) {
  if (watched == window() && event->type() == QEvent::Resize) fitHeight();
  return QTextEdit::eventFilter(watched, event);
}

void MessageText::fitHeight() {
  const int height = static_cast<int>(std::ceil(document()->size().height()));
  const int room = (window()->height() - scaledPx(kOneLineFromPx)) / scaledPx(kLineForPx);
  // A dialog grows with its message.
  const bool isFree = isWindow() || qobject_cast<const QDialog*>(window());
  const int lines = isFree ? kMaxLines : std::clamp(room, 1, kMaxLines);
  const int max = static_cast<int>(std::ceil(bottomOfLine(lines, *document())));
  setVerticalScrollBarPolicy(height > max ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
  const QMargins border = contentsMargins();
  setFixedHeight(std::min(height, max) + border.top() + border.bottom());
}

}  // namespace lockstep::widgets
