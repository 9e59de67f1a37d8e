#include "app/text/window_words.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <array>
#include <iterator>

namespace lockstep::app {
namespace {

/// Regular expressions for the engine's remedies, and the window's words. Replaced in this order.
constexpr struct {
  const char *command, *words;
} kWords[] = {
    {"`lockstep-engine train [^`]*--resume --set dataset\\.bad_images=skip`",
     QT_TRANSLATE_NOOP("WindowWords", "“Resume and skip unreadable images”")},
    {"`lockstep-engine (?:train [^`]*--resume --queue|runs --start-queued)`",
     QT_TRANSLATE_NOOP("WindowWords", "“Resume when its devices are free”")},
    {"resume from the experiment file with `lockstep-engine train EXPERIMENT [^`]*`",
     QT_TRANSLATE_NOOP("WindowWords", "train its experiment again")},
    {"start it with `lockstep-engine train EXPERIMENT [^`]*`",
     QT_TRANSLATE_NOOP("WindowWords", "train its experiment again")},
    {"`lockstep-engine train [^`]*--resume`",
     QT_TRANSLATE_NOOP("WindowWords", "“Resume from the latest checkpoint”")},
    {"`lockstep-engine train [^`]*--from [^`]*`|(?<=\\()train RUN --from [^)]*(?=\\))",
     QT_TRANSLATE_NOOP("WindowWords", "“Fork from a checkpoint…”")},
    {"(?<=\\()train --find-lr(?=\\))",
     QT_TRANSLATE_NOOP("WindowWords", "“Learning-rate range test” in the menu")},
    {"config check --data", QT_TRANSLATE_NOOP("WindowWords", "“Check data and weights”")},
    {"add --accept-data to continue with these",
     QT_TRANSLATE_NOOP("WindowWords", "choose “Continue with these annotations”")},
    {"--queue waits for it", QT_TRANSLATE_NOOP("WindowWords", "“Add to the queue” waits for it")},
    {"raise solver\\.max_steps with --set solver\\.max_steps=N to continue",
     QT_TRANSLATE_NOOP("WindowWords", "to continue, fork it with a higher solver.max_steps")},
    // No counterpart in the window, or the message says the same in other words.
    {" \\(add --accept-data if you changed the annotations\\)", ""},
    {"\\. To recompute this batch: lockstep-engine train --replay .*?(?=\\. Restart )", ""},
    {"; use --split \\w+, or --set \\S+ and \\S+", ""},
    {"--workers, (?=runtime\\.workers)", ""},
    {"--(?:out|from|val|classes|exif) (?=\\S)", ""},
};

/// Most messages, and lines of the log, name no command.
bool mayNameCommand(const QString& message) {
  return message.contains(QLatin1String("--")) ||
         message.contains(QLatin1String("lockstep-engine"));
}

}  // namespace

QString inWindowWords(const QString& message) {
  if (!mayNameCommand(message)) return message;
  static const auto expressions = [] {
    std::array<QRegularExpression, std::size(kWords)> made;
    for (std::size_t i = 0; i < made.size(); ++i)
      made.at(i).setPattern(QString::fromUtf8(kWords[i].command));
    return made;
  }();
  QString text = message;
  for (std::size_t i = 0; i < expressions.size(); ++i)
    text.replace(expressions.at(i), *kWords[i].words == 0 ? QString()
                                                          : QCoreApplication::translate(
                                                                "WindowWords", kWords[i].words));
  return text;
}

QString inWindowWords(const std::string& message) {
  return inWindowWords(QString::fromStdString(message));
}

}  // namespace lockstep::app
