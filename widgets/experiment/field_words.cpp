#include "widgets/experiment/field_words.h"

#include <QCoreApplication>
#include <QHash>
#include <QStringList>
#include <algorithm>

#include "engine/config/value_text.h"

namespace lockstep::widgets {
namespace {

QString translated(const std::string& text) {
  return text.empty() ? QString() : QCoreApplication::translate("Field", text.c_str());
}

const QHash<QString, QString>& expansions() {
  static const QHash<QString, QString> words{
      {QStringLiteral("lr"), QStringLiteral("learning rate")},
      {QStringLiteral("iou"), QStringLiteral("IoU")},
      {QStringLiteral("nms"), QStringLiteral("NMS")},
      {QStringLiteral("fpn"), QStringLiteral("FPN")},
      {QStringLiteral("rpn"), QStringLiteral("RPN")},
      {QStringLiteral("roi"), QStringLiteral("RoI")},
      {QStringLiteral("ap"), QStringLiteral("AP")},
      {QStringLiteral("fc"), QStringLiteral("FC")},
      {QStringLiteral("fg"), QStringLiteral("foreground")},
      {QStringLiteral("bg"), QStringLiteral("background")},
      {QStringLiteral("ema"), QStringLiteral("EMA")},
      {QStringLiteral("cpu"), QStringLiteral("CPU")},
      {QStringLiteral("cuda"), QStringLiteral("CUDA")},
      {QStringLiteral("reg"), QStringLiteral("regression")},
      {QStringLiteral("convs"), QStringLiteral("convolutions")},
      {QStringLiteral("dim"), QStringLiteral("width")},
      {QStringLiteral("val"), QStringLiteral("validation set")},
      {QStringLiteral("train"), QStringLiteral("training set")},
      {QStringLiteral("grad"), QStringLiteral("gradient")},
      {QStringLiteral("stats"), QStringLiteral("statistics")},
      {QStringLiteral("std"), QStringLiteral("standard deviation")},
      {QStringLiteral("dets"), QStringLiteral("detections")},
      {QStringLiteral("warmup"), QStringLiteral("warm-up")},
  };
  return words;
}

QString inWords(const std::string& name, bool keepShort) {
  QStringList words;
  for (const QString& word : QString::fromStdString(name).split(QLatin1Char('_'))) {
    words << (keepShort ? word : expansions().value(word, word));
  }
  QString text = words.join(QLatin1Char(' '));
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

struct ReplacedText {
  Q_DECLARE_TR_FUNCTIONS(ConfigEditor)
};

/// Wraps a text for a tooltip, which does not wrap plain text itself.
QString inLines(const QString& text) {
  constexpr qsizetype kMaxCharacters = 90;
  QString lines;
  qsizetype lineBegin = 0;
  for (const QString& word : text.split(QLatin1Char(' '))) {
    const bool isFull = lines.size() + 1 + word.size() - lineBegin > kMaxCharacters;
    if (!lines.isEmpty()) lines += isFull ? QLatin1Char('\n') : QLatin1Char(' ');
    if (isFull) lineBegin = lines.size();
    lines += word;
  }
  return lines;
}

}  // namespace

bool isWordOf(const config::Field& field, const std::string& text) {
  return (field.nullable && text == "null") ||
         std::find(field.choices.begin(), field.choices.end(), text) != field.choices.end();
}

QString labelOf(const std::string& key) {
  const std::string last = key.substr(key.rfind('.') + 1);
  const bool endsInSplit = last.ends_with("_train") || last.ends_with("_test");
  return translated(inWords(last, endsInSplit)
                        .replace(QStringLiteral("nms"), QStringLiteral("NMS"))
                        .toStdString());
}

std::string sectionOf(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string::npos ? std::string() : key.substr(0, dot);
}

QString sectionTitle(const std::string& section) {
  if (section.empty()) return translated("Experiment");
  return translated(inWords(section.substr(section.rfind('.') + 1), false).toStdString());
}

QString sectionHelpOf(const std::string& section) {
  return translated(config::sectionHelp(section));
}

QString fieldHelpOf(const config::Field& field) { return translated(field.help); }

QString unitOf(const config::Field& field) { return translated(field.unit); }

QString factsOf(const config::Field& field) {
  QStringList facts{translated(field.typeText())};
  if (!field.unit.empty()) facts << unitOf(field);
  const QString range = QString::fromStdString(field.rangeText());
  if (!range.isEmpty()) facts << range;
  facts << translated("default %1").arg(QString::fromStdString(field.defaultText()));
  const QString notImplemented = translated(field.notImplementedText());
  if (!notImplemented.isEmpty()) facts << notImplemented;
  return facts.join(QStringLiteral(" · "));
}

QString helpOf(const config::Field& field) {
  return QString::fromStdString(field.key) % QLatin1Char('\n') % inLines(fieldHelpOf(field)) %
         QLatin1Char('\n') % factsOf(field);
}

QString replacedText(const std::string& value, const std::string& from, bool repeats) {
  const QString shown = QString::fromStdString(value);
  if (from.empty())
    return (repeats ? ReplacedText::tr("Repeats the default, %1")
                    : ReplacedText::tr("Overrides the default, %1"))
        .arg(shown);
  return (repeats ? ReplacedText::tr("Repeats %1 of %2") : ReplacedText::tr("Overrides %1 of %2"))
      .arg(shown, QString::fromStdString(from));
}

std::string yamlOf(const config::Field& field, const QString& typed) {
  const std::string text = typed.trimmed().toStdString();
  if (isWordOf(field, text)) return text;
  if (config::isList(field.type) && !text.starts_with('[')) return "[" + text + "]";
  const bool isText =
      field.type == config::FieldType::Text || field.type == config::FieldType::Path;
  return isText ? config::writeText(text) : text;
}

}  // namespace lockstep::widgets
