#include "widgets/action_keywords.h"

#include <QCoreApplication>
#include <QHash>

namespace lockstep::widgets {
namespace {

struct Keywords {
  const char *id, *words;
};

// clang-format off
constexpr Keywords kKeywords[] = {
    {"compare.export", QT_TRANSLATE_NOOP("ActionKeywords", "save report picture results PNG SVG PDF CSV COCO JSON")},
    {"compare.fit", QT_TRANSLATE_NOOP("ActionKeywords", "zoom whole reset")},
    {"compare.mode", QT_TRANSLATE_NOOP("ActionKeywords", "A/B slider overlay flicker")},
    {"configure.compare", QT_TRANSLATE_NOOP("ActionKeywords", "diff difference")},
    {"configure.redo", QT_TRANSLATE_NOOP("ActionKeywords", "again")},
    {"configure.search", QT_TRANSLATE_NOOP("ActionKeywords", "find setting option parameter")},
    {"configure.undo", QT_TRANSLATE_NOOP("ActionKeywords", "back revert")},
    {"data.actual_size", QT_TRANSLATE_NOOP("ActionKeywords", "zoom 100 % 1:1")},
    {"data.check", QT_TRANSLATE_NOOP("ActionKeywords", "validate verify dataset faults")},
    {"data.clean", QT_TRANSLATE_NOOP("ActionKeywords", "fix repair save annotations")},
    {"data.draw_batches", QT_TRANSLATE_NOOP("ActionKeywords", "augmentation preview crop flip")},
    {"data.fit", QT_TRANSLATE_NOOP("ActionKeywords", "zoom whole reset")},
    {"data.magnifier", QT_TRANSLATE_NOOP("ActionKeywords", "zoom loupe pixel")},
    {"data.open", QT_TRANSLATE_NOOP("ActionKeywords", "load import dataset COCO")},
    {"experiment.check", QT_TRANSLATE_NOOP("ActionKeywords", "validate verify dry run")},
    {"experiment.find_learning_rate", QT_TRANSLATE_NOOP("ActionKeywords", "LR finder find")},
    {"experiment.from_scenes", QT_TRANSLATE_NOOP("ActionKeywords", "demo example sample synthetic")},
    {"experiment.new", QT_TRANSLATE_NOOP("ActionKeywords", "create config YAML import dataset wizard")},
    {"experiment.open", QT_TRANSLATE_NOOP("ActionKeywords", "load config YAML file")},
    {"experiment.queue", QT_TRANSLATE_NOOP("ActionKeywords", "wait later schedule")},
    {"experiment.save", QT_TRANSLATE_NOOP("ActionKeywords", "write config YAML file")},
    {"experiment.train", QT_TRANSLATE_NOOP("ActionKeywords", "start run launch begin")},
    {"inspector.copy", QT_TRANSLATE_NOOP("ActionKeywords", "clipboard")},
    {"inspector.copy_all", QT_TRANSLATE_NOOP("ActionKeywords", "clipboard")},
    {"log.alerts", QT_TRANSLATE_NOOP("ActionKeywords", "warnings problems advice remedy")},
    {"log.filter", QT_TRANSLATE_NOOP("ActionKeywords", "search find messages output console")},
    {"monitor.card_back", QT_TRANSLATE_NOOP("ActionKeywords", "reorder sort arrange left")},
    {"monitor.card_forward", QT_TRANSLATE_NOOP("ActionKeywords", "reorder sort arrange right")},
    {"monitor.card_height", QT_TRANSLATE_NOOP("ActionKeywords", "size larger taller")},
    {"monitor.card_width", QT_TRANSLATE_NOOP("ActionKeywords", "size larger wider")},
    {"monitor.export", QT_TRANSLATE_NOOP("ActionKeywords", "save picture plot curves PNG SVG PDF CSV LaTeX copy")},
    {"monitor.groups", QT_TRANSLATE_NOOP("ActionKeywords", "seeds average band aggregate grouping")},
    {"monitor.link_zoom", QT_TRANSLATE_NOOP("ActionKeywords", "synchronise")},
    {"monitor.log_x", QT_TRANSLATE_NOOP("ActionKeywords", "logarithmic axis")},
    {"monitor.log_y", QT_TRANSLATE_NOOP("ActionKeywords", "logarithmic axis")},
    {"monitor.maximize", QT_TRANSLATE_NOOP("ActionKeywords", "zoom enlarge full size")},
    {"monitor.outliers", QT_TRANSLATE_NOOP("ActionKeywords", "spikes Y range percentile")},
    {"monitor.range", QT_TRANSLATE_NOOP("ActionKeywords", "select interval statistics mean")},
    {"monitor.reset_cards", QT_TRANSLATE_NOOP("ActionKeywords", "layout restore arrange")},
    {"monitor.reset_zoom", QT_TRANSLATE_NOOP("ActionKeywords", "fit all zoom out")},
    {"monitor.search", QT_TRANSLATE_NOOP("ActionKeywords", "find filter metric tag")},
    {"monitor.show_curves", QT_TRANSLATE_NOOP("ActionKeywords", "unhide visible legend")},
    {"monitor.smoothing", QT_TRANSLATE_NOOP("ActionKeywords", "smooth moving average EMA raw")},
    {"predictions.actual_size", QT_TRANSLATE_NOOP("ActionKeywords", "zoom 100 % 1:1")},
    {"predictions.colour_by", QT_TRANSLATE_NOOP("ActionKeywords", "color TP FP FN")},
    {"predictions.earlier_checkpoint", QT_TRANSLATE_NOOP("ActionKeywords", "previous step")},
    {"predictions.explain", QT_TRANSLATE_NOOP("ActionKeywords", "why anchors proposals debug")},
    {"predictions.export", QT_TRANSLATE_NOOP("ActionKeywords", "save picture results PNG SVG PDF COCO JSON")},
    {"predictions.fill", QT_TRANSLATE_NOOP("ActionKeywords", "opacity transparency alpha")},
    {"predictions.fit", QT_TRANSLATE_NOOP("ActionKeywords", "zoom whole reset")},
    {"predictions.ground_truth", QT_TRANSLATE_NOOP("ActionKeywords", "GT annotations")},
    {"predictions.held_out_images", QT_TRANSLATE_NOOP("ActionKeywords", "validation val eval")},
    {"predictions.later_checkpoint", QT_TRANSLATE_NOOP("ActionKeywords", "next step")},
    {"predictions.magnifier", QT_TRANSLATE_NOOP("ActionKeywords", "zoom loupe pixel")},
    {"predictions.maximize", QT_TRANSLATE_NOOP("ActionKeywords", "zoom enlarge full size")},
    {"predictions.next_error", QT_TRANSLATE_NOOP("ActionKeywords", "FP FN mistake false positive missed")},
    {"predictions.open_images", QT_TRANSLATE_NOOP("ActionKeywords", "load infer own picture file")},
    {"predictions.predict_all", QT_TRANSLATE_NOOP("ActionKeywords", "infer inference")},
    {"predictions.previous_error", QT_TRANSLATE_NOOP("ActionKeywords", "FP FN mistake false positive missed")},
    {"run.checkpoint", QT_TRANSLATE_NOOP("ActionKeywords", "snapshot write weights")},
    {"run.duplicate", QT_TRANSLATE_NOOP("ActionKeywords", "copy clone config")},
    {"run.evaluate", QT_TRANSLATE_NOOP("ActionKeywords", "validate validation AP")},
    {"run.fork", QT_TRANSLATE_NOOP("ActionKeywords", "branch continue resume")},
    {"run.pack", QT_TRANSLATE_NOOP("ActionKeywords", "export share archive")},
    {"run.pause", QT_TRANSLATE_NOOP("ActionKeywords", "hold continue")},
    {"run.stop", QT_TRANSLATE_NOOP("ActionKeywords", "abort cancel end kill")},
    {"runs.filter", QT_TRANSLATE_NOOP("ActionKeywords", "search find regex")},
    {"runs.open_folder", QT_TRANSLATE_NOOP("ActionKeywords", "load TensorBoard directory project")},
    {"runs.open_packed", QT_TRANSLATE_NOOP("ActionKeywords", "load import archive")},
    {"runs.tags", QT_TRANSLATE_NOOP("ActionKeywords", "label mark")},
    {"runs.trash", QT_TRANSLATE_NOOP("ActionKeywords", "delete remove")},
    {"runs.view", QT_TRANSLATE_NOOP("ActionKeywords", "sort grouping archived table")},
    {"window.change_keys", QT_TRANSLATE_NOOP("ActionKeywords", "shortcuts bindings hotkeys settings preferences")},
    {"window.close", QT_TRANSLATE_NOOP("ActionKeywords", "quit exit")},
    {"window.full_screen", QT_TRANSLATE_NOOP("ActionKeywords", "fullscreen")},
    {"window.keys", QT_TRANSLATE_NOOP("ActionKeywords", "help hotkeys bindings cheat sheet")},
    {"window.notify", QT_TRANSLATE_NOOP("ActionKeywords", "desktop notification")},
    {"window.theme_dark", QT_TRANSLATE_NOOP("ActionKeywords", "dark mode night colours colors appearance")},
    {"window.theme_light", QT_TRANSLATE_NOOP("ActionKeywords", "light mode day bright colours colors appearance")},
    {"window.theme_system", QT_TRANSLATE_NOOP("ActionKeywords", "automatic desktop colours colors appearance")},
    {"window.tour", QT_TRANSLATE_NOOP("ActionKeywords", "help introduction tutorial")},
};
// clang-format on

}  // namespace

QString keywordsOf(const QString& id) {
  static const QHash<QString, const char*> words = [] {
    QHash<QString, const char*> all;
    for (const Keywords& each : kKeywords) all.insert(QLatin1String(each.id), each.words);
    return all;
  }();
  const char* own = words.value(id);
  return own ? QCoreApplication::translate("ActionKeywords", own) : QString();
}

QStringList actionsWithKeywords() {
  QStringList ids;
  for (const Keywords& each : kKeywords) ids.append(QLatin1String(each.id));
  return ids;
}

}  // namespace lockstep::widgets
