#include "widgets/config_editor/yaml_text.h"

#include <Qsci/qscilexeryaml.h>
#include <Qsci/qscistyle.h>
#include <Qsci/qscistyledtext.h>

#include <QEvent>
#include <QFontInfo>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QRegularExpression>
#include <QStringDecoder>
#include <QTextLayout>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <map>

#include "widgets/experiment/completion.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kNumberMargin = 0, kIssueMargin = 1, kValueMargin = 2;
constexpr int kMinAnnotationPx = 80;
constexpr int kErrorMark = 1, kWarningMark = 2, kErrorLine = 3;
/// Of LineMark::Kind, in its order.
constexpr std::array kValueMarks{4, 5, 6};
constexpr int kErrorUnderline = 8, kWarningUnderline = 9;
constexpr int kErrorStyle = 64, kWarningStyle = 65;  // above those of lexers
constexpr int kFontSize = 12;
constexpr int kRestMilliseconds = 400;
constexpr char kCandidateSeparator = '\n';

/// Scintilla takes one font family: the first that is installed.
QFont inOneFamily(QFont font) {
  font.setFamilies({QFontInfo(font).family()});
  return font;
}

/// An issue of an inherited file, whose line is not shown: "base.yaml:3:12: solver.base_lr: …".
std::string inheritedText(const DocumentIssue& issue) {
  const std::string key = issue.key.empty() ? "" : issue.key + ": ";
  return issue.position + ": " + key + issue.text;
}

/// The text wrapped at a width: between words, or within a word that is longer.
QString wrapped(const QString& text, const QFont& font, int widthPx) {
  QTextLayout layout(text, font);
  QTextOption option;
  option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  layout.setTextOption(option);
  QStringList lines;
  layout.beginLayout();
  for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
    line.setLineWidth(widthPx);
    lines << text.mid(line.textStart(), line.textLength());
  }
  layout.endLayout();
  return lines.join(QLatin1Char('\n'));
}

}  // namespace

YamlText::YamlText(QWidget* parent) : QsciScintilla(parent) {
  setObjectName(QStringLiteral("yamlText"));
  setAccessibleName(tr("YAML text of the experiment"));
  setUtf8(true);
  setFrameShape(QFrame::NoFrame);
  setCornerWidget(new QWidget);
  setIndentationsUseTabs(false);
  setTabWidth(2);
  setAutoIndent(true);
  setBackspaceUnindents(true);
  setBraceMatching(QsciScintilla::SloppyBraceMatch);
  setCaretLineVisible(true);
  // Long values and the messages below lines wrap; nothing scrolls sideways.
  setWrapMode(QsciScintilla::WrapWord);
  setWrapIndentMode(QsciScintilla::WrapIndentIndented);
  lexer_ = new QsciLexerYAML(this);
  setLexer(lexer_);
  SendScintilla(SCI_AUTOCSETSEPARATOR, static_cast<long>(kCandidateSeparator));
  SendScintilla(SCI_AUTOCSETMAXHEIGHT, 10L);
  SendScintilla(SCI_SETMOUSEDWELLTIME, static_cast<long>(kRestMilliseconds));
  SendScintilla(SCI_SETEXTRAASCENT, 2L);
  SendScintilla(SCI_SETEXTRADESCENT, 2L);
  buildMargins();
  buildMarks();
  applyTheme();
  connectSignals();
}

void YamlText::buildMargins() {
  setMarginType(kNumberMargin, QsciScintilla::NumberMargin);
  setMarginType(kIssueMargin, QsciScintilla::SymbolMargin);
  setMarginWidth(kIssueMargin, 16);
  setMarginMarkerMask(kIssueMargin, (1 << kErrorMark) | (1 << kWarningMark));
  setMarginSensitivity(kIssueMargin, true);
  setMarginType(kValueMargin, QsciScintilla::SymbolMargin);
  setMarginWidth(kValueMargin, 8);
  int values = 0;
  for (const int mark : kValueMarks) values |= 1 << mark;
  setMarginMarkerMask(kValueMargin, values);
  fitLineNumbers();
}

void YamlText::buildMarks() {
  markerDefine(QsciScintilla::Circle, kErrorMark);
  markerDefine(QsciScintilla::RightTriangle, kWarningMark);
  markerDefine(QsciScintilla::Background, kErrorLine);
  for (const int mark : kValueMarks) markerDefine(QsciScintilla::LeftRectangle, mark);
  indicatorDefine(QsciScintilla::SquiggleIndicator, kErrorUnderline);
  indicatorDefine(QsciScintilla::SquiggleIndicator, kWarningUnderline);
  setAnnotationDisplay(QsciScintilla::AnnotationIndented);
}

void YamlText::connectSignals() {
  connect(this, &QsciScintilla::marginClicked, this, [this](int, int line, Qt::KeyboardModifiers) {
    if (const int issue = issueAtLine(line + 1); issue >= 0) Q_EMIT fixRequested(issue);
  });
  connect(this, &QsciScintillaBase::SCN_DOUBLECLICK, this, [this](int position, int, int) {
    if (const int issue = issueAtByte(static_cast<std::size_t>(std::max(0, position)));
        issue >= 0) {
      Q_EMIT fixRequested(issue);
    }
  });
  connect(this, &QsciScintillaBase::SCN_CHARADDED, this, [this](int) { complete(false); });
  connect(this, &QsciScintilla::cursorPositionChanged, this, &YamlText::cursorMoved);
  connect(this, &QsciScintilla::linesChanged, this, &YamlText::fitLineNumbers);
  connect(this, &QsciScintillaBase::SCN_DWELLSTART, this, [this](int position, int x, int y) {
    if (position < 0 || !tips_) return;
    QToolTip::showText(viewport()->mapToGlobal(QPoint(x, y + 12)),
                       tips_(static_cast<std::size_t>(position)), this);
  });
  connect(this, &QsciScintillaBase::SCN_DWELLEND, this,
          [](int, int, int) { QToolTip::hideText(); });
}

void YamlText::setDocument(const QString& document) {
  setText(document);
  SendScintilla(SCI_EMPTYUNDOBUFFER);
  setModified(false);
  setEolMode(document.contains(QStringLiteral("\r\n")) ? EolWindows : EolUnix);
  setCursorPosition(0, 0);
  setIssues({});
}

QString YamlText::wholeText() const {
  QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::ConvertInitialBom);
  const std::string bytes = utf8();
  return decoder.decode(QByteArrayView(bytes.data(), static_cast<qsizetype>(bytes.size())));
}

std::string YamlText::utf8() const {
  const auto length = static_cast<std::size_t>(SendScintilla(SCI_GETLENGTH));
  std::string bytes(length + 1, '\0');
  SendScintilla(SCI_GETTEXT, static_cast<unsigned long>(bytes.size()), bytes.data());
  bytes.resize(length);
  return bytes;
}

void YamlText::changeTo(const std::string& changed) {
  const std::string current = utf8();
  if (current == changed) return;
  const std::size_t shorter = std::min(current.size(), changed.size());
  std::size_t head = 0;
  while (head < shorter && current[head] == changed[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head &&
         current[current.size() - 1 - tail] == changed[changed.size() - 1 - tail])
    ++tail;
  const std::string with = changed.substr(head, changed.size() - tail - head);
  beginUndoAction();
  SendScintilla(SCI_SETTARGETRANGE, static_cast<unsigned long>(head),
                static_cast<long>(current.size() - tail));
  SendScintilla(SCI_REPLACETARGET, static_cast<unsigned long>(with.size()), with.c_str());
  endUndoAction();
}

void YamlText::setIssues(const std::vector<DocumentIssue>& issues) {
  issues_ = issues;
  for (int mark : {kErrorMark, kWarningMark, kErrorLine}) markerDeleteAll(mark);
  for (int underline : {kErrorUnderline, kWarningUnderline}) {
    SendScintilla(SCI_SETINDICATORCURRENT, static_cast<long>(underline));
    SendScintilla(SCI_INDICATORCLEARRANGE, 0UL, static_cast<long>(length()));
  }
  for (const DocumentIssue& issue : issues_) {
    if (issue.line < 1 || issue.line > lines()) continue;
    const int line = issue.line - 1;
    markerAdd(line, issue.isError ? kErrorMark : kWarningMark);
    if (issue.isError) markerAdd(line, kErrorLine);
    if (issue.end > issue.begin && issue.end <= static_cast<std::size_t>(length())) {
      SendScintilla(SCI_SETINDICATORCURRENT,
                    static_cast<long>(issue.isError ? kErrorUnderline : kWarningUnderline));
      SendScintilla(SCI_INDICATORFILLRANGE, static_cast<unsigned long>(issue.begin),
                    static_cast<long>(issue.end - issue.begin));
    }
  }
  annotateIssues();
}

void YamlText::setLineMarks(const std::vector<LineMark>& marks) {
  for (const int mark : kValueMarks) markerDeleteAll(mark);
  for (const LineMark& mark : marks)
    markerAdd(mark.line - 1, kValueMarks.at(static_cast<std::size_t>(mark.kind)));
}

/// Shows the issues of each line below it, wrapped at the width of the view.
void YamlText::annotateIssues() {
  clearAnnotations();
  annotatedPx_ = viewport()->width();
  const Theme& theme = currentTheme();
  const QFont font = inOneFamily(interfaceFont(11));
  // A QsciStyledText never frees a QsciStyle that it is given: it is given the number of one.
  const auto useStyle = [&](int number, const QColor& colour) {
    QsciStyle(number, QStringLiteral("issue"), colour, blend(theme.field, colour, 0.08), font)
        .apply(this);
  };
  useStyle(kErrorStyle, theme.error);
  useStyle(kWarningStyle, theme.warning);
  std::map<int, QList<QsciStyledText>> notes;
  for (const DocumentIssue& issue : issues_) {
    if (issue.line < 1 || issue.line > lines()) continue;
    const int line = issue.line - 1;
    QString text = QString::fromStdString(issue.isHere ? issue.text : inheritedText(issue));
    if (!issue.suggestion.empty())
      text += tr("   double-click to replace with: ") + QString::fromStdString(issue.suggestion);
    text = wrapped(text, font, annotationWidth(line));
    if (notes.count(line)) text.prepend(QLatin1Char('\n'));
    notes[line] << QsciStyledText(text, issue.isError ? kErrorStyle : kWarningStyle);
  }
  for (const auto& [line, texts] : notes) annotate(line, texts);
}

/// px for the text of an annotation, which is indented like its line, with a space on both sides.
int YamlText::annotationWidth(int line) const {
  const long space = SendScintilla(SCI_TEXTWIDTH, static_cast<unsigned long>(STYLE_DEFAULT), " ");
  int width = viewport()->width() - static_cast<int>(space) * (indentation(line) + 3);
  for (const int margin : {kNumberMargin, kIssueMargin, kValueMargin}) width -= marginWidth(margin);
  return std::max(width, scaledPx(kMinAnnotationPx));
}

int YamlText::issueAtByte(std::size_t byte) const {
  for (std::size_t i = 0; i < issues_.size(); ++i) {
    if (issues_[i].begin <= byte && byte <= issues_[i].end && issues_[i].end > issues_[i].begin) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

int YamlText::issueAtLine(int line) const {
  const auto found =
      std::find_if(issues_.begin(), issues_.end(), [line](const DocumentIssue& issue) {
        return issue.line == line && !issue.suggestion.empty();
      });
  return found == issues_.end() ? -1 : static_cast<int>(found - issues_.begin());
}

void YamlText::goTo(int line, int column) {
  const int index = std::clamp(line - 1, 0, std::max(0, lines() - 1));
  ensureLineVisible(index);
  setCursorPosition(index, std::max(0, column - 1));
  // In the upper third of the view.
  const long onScreen = SendScintilla(SCI_LINESONSCREEN);
  const long shown = SendScintilla(SCI_VISIBLEFROMDOCLINE, static_cast<long>(index));
  SendScintilla(SCI_SETFIRSTVISIBLELINE, std::max(0L, shown - onScreen / 3));
}

void YamlText::reveal(int line) {
  const long shown = SendScintilla(SCI_VISIBLEFROMDOCLINE, static_cast<long>(line - 1));
  const long first = SendScintilla(SCI_GETFIRSTVISIBLELINE);
  if (shown <= first || shown >= first + SendScintilla(SCI_LINESONSCREEN) - 1) return goTo(line, 1);
  setCursorPosition(line - 1, 0);
}

void YamlText::selectBytes(std::size_t begin, std::size_t end) {
  SendScintilla(SCI_SETSEL, static_cast<unsigned long>(begin), static_cast<long>(end));
}

std::size_t YamlText::cursorByte() const {
  return static_cast<std::size_t>(SendScintilla(SCI_GETCURRENTPOS));
}

/// Shows the completions at the cursor, while typing only once a word has begun. Closes a list that
/// is open when there is nothing left to complete.
void YamlText::complete(bool asked) {
  const Completion completion = completeAt(utf8(), cursorByte());
  const std::vector<std::string>& candidates = completion.candidates;
  const bool isWritten =
      candidates.size() == 1 && candidates.front().size() == completion.prefixBytes;
  const bool isWanted = asked || completion.prefixBytes > 0;
  if (candidates.empty() || isWritten || !isWanted || !isCursorOnScreen()) return cancelList();
  std::vector<std::string> sorted = candidates;
  std::sort(sorted.begin(), sorted.end());
  std::string list;
  for (const std::string& candidate : sorted) {
    if (!list.empty()) list += kCandidateSeparator;
    list += candidate;
  }
  SendScintilla(SCI_AUTOCSHOW, static_cast<unsigned long>(completion.prefixBytes), list.c_str());
}

/// QScintilla opens a list on the screen of the cursor without asking whether there is one.
bool YamlText::isCursorOnScreen() const {
  const auto byte = static_cast<long>(cursorByte());
  const QPoint cursor(static_cast<int>(SendScintilla(SCI_POINTXFROMPOSITION, 0UL, byte)),
                      static_cast<int>(SendScintilla(SCI_POINTYFROMPOSITION, 0UL, byte)));
  return QGuiApplication::screenAt(viewport()->mapToGlobal(cursor)) != nullptr;
}

/// The selected candidate is already written at the cursor: completing it would add only a colon.
bool YamlText::isWordWritten() const {
  if (!isListActive()) return false;
  const auto length = static_cast<std::size_t>(
      SendScintilla(SCI_AUTOCGETCURRENTTEXT, 0UL, static_cast<void*>(nullptr)));
  std::string candidate(length + 1, '\0');
  SendScintilla(SCI_AUTOCGETCURRENTTEXT, 0UL, static_cast<void*>(candidate.data()));
  candidate.resize(std::min(candidate.find_first_of(": "), length));
  return candidate.size() == completeAt(utf8(), cursorByte()).prefixBytes;
}

void YamlText::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Space && event->modifiers() == Qt::ControlModifier)
    return complete(true);
  if (event->key() == Qt::Key_Return && event->modifiers() == Qt::AltModifier) {
    int line = 0, index = 0;
    getCursorPosition(&line, &index);
    if (const int issue = issueAtLine(line + 1); issue >= 0) Q_EMIT fixRequested(issue);
    return;
  }
  if (event->matches(QKeySequence::Redo)) return redo();
  const bool endsLine = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (endsLine && isWordWritten()) cancelList();
  if (!endsLine) return QsciScintilla::keyPressEvent(event);
  // So that undo takes back a line at a time.
  beginUndoAction();
  QsciScintilla::keyPressEvent(event);
  indentInSection();
  endUndoAction();
}

/// A new line below `solver:` is one of the section's keys: as far in as those that it has.
void YamlText::indentInSection() {
  int line = 0, index = 0;
  getCursorPosition(&line, &index);
  if (line == 0) return;
  static const QRegularExpression opensSection(QStringLiteral("^\\s*[^#\\s][^#]*:\\s*(\\s#.*)?$"));
  const int outer = indentation(line - 1);
  if (indentation(line) != outer || !opensSection.match(text(line - 1)).hasMatch()) return;
  const int next = line + 1 < lines() ? indentation(line + 1) : 0;
  const int inner = next > outer ? next : outer + tabWidth();
  setIndentation(line, inner);
  setCursorPosition(line, inner);
}

/// Passes Escape on to the window unless there is a list to close.
bool YamlText::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape && !isListActive()) {
    event->ignore();
    return true;
  }
  return QsciScintilla::event(event);
}

void YamlText::resizeEvent(QResizeEvent* event) {
  QsciScintilla::resizeEvent(event);
  if (annotatedPx_ != viewport()->width()) annotateIssues();
  if (hasFocus()) ensureCursorVisible();  // the list of problems may have taken its place
}

void YamlText::changeEvent(QEvent* event) {
  QsciScintilla::changeEvent(event);
  // The base class's constructor may send events before the lexer is there.
  if (event->type() == QEvent::PaletteChange && lexer_ != nullptr) applyTheme();
}

void YamlText::applyTheme() {
  const Theme& theme = currentTheme();
  applySyntaxColours();
  setPaper(theme.field);
  setColor(theme.text);
  setCaretForegroundColor(theme.text);
  setCaretLineBackgroundColor(blend(theme.field, theme.selection, 0.55));
  setSelectionBackgroundColor(theme.selection);
  resetSelectionForegroundColor();
  setMarginsBackgroundColor(theme.field);
  setMarginBackgroundColor(kIssueMargin, theme.field);
  setMarginBackgroundColor(kValueMargin, theme.field);
  setMarginsForegroundColor(theme.textFaint);
  setMarginsFont(inOneFamily(monoFont(11)));
  setMatchedBraceBackgroundColor(theme.selection);
  setMatchedBraceForegroundColor(theme.accent);
  setUnmatchedBraceBackgroundColor(theme.field);
  setUnmatchedBraceForegroundColor(theme.error);
  const std::array values{theme.accent, theme.textFaint, theme.warning};
  for (std::size_t i = 0; i < kValueMarks.size(); ++i) {
    setMarkerBackgroundColor(values.at(i), kValueMarks.at(i));
    setMarkerForegroundColor(values.at(i), kValueMarks.at(i));
  }
  setMarkerBackgroundColor(theme.error, kErrorMark);
  setMarkerForegroundColor(theme.error, kErrorMark);
  setMarkerBackgroundColor(theme.warning, kWarningMark);
  setMarkerForegroundColor(theme.warning, kWarningMark);
  setMarkerBackgroundColor(blend(theme.field, theme.error, 0.10), kErrorLine);
  setIndicatorForegroundColor(theme.error, kErrorUnderline);
  setIndicatorForegroundColor(theme.warning, kWarningUnderline);
  fitLineNumbers();
  setIssues(std::vector<DocumentIssue>(issues_));
}

void YamlText::applySyntaxColours() {
  const Theme& theme = currentTheme();
  const QFont font = inOneFamily(monoFont(kFontSize));
  lexer_->setDefaultFont(font);
  lexer_->setFont(font, -1);
  lexer_->setDefaultPaper(theme.field);
  lexer_->setDefaultColor(theme.text);
  lexer_->setPaper(theme.field, -1);
  lexer_->setColor(theme.syntaxString, -1);
  lexer_->setColor(theme.syntaxKey, QsciLexerYAML::Identifier);
  lexer_->setColor(theme.syntaxComment, QsciLexerYAML::Comment);
  lexer_->setColor(theme.syntaxNumber, QsciLexerYAML::Number);
  lexer_->setColor(theme.syntaxNumber, QsciLexerYAML::Keyword);
  lexer_->setColor(theme.textMuted, QsciLexerYAML::Operator);
  lexer_->setColor(theme.error, QsciLexerYAML::SyntaxErrorMarker);
}

void YamlText::fitLineNumbers() {
  const int digits = std::max(2, static_cast<int>(QString::number(lines()).size()));
  setMarginWidth(kNumberMargin, QString(digits + 1, QLatin1Char('8')));
}

}  // namespace lockstep::widgets
