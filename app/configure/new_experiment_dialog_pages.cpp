// NewExperimentDialog's pages: one for each origin, and that of what was found in the data.
#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QIntValidator>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/configure/new_experiment_dialog.h"
#include "widgets/empty_state.h"
#include "widgets/jobs/awaited.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

constexpr int kNumberPx = 120, kListSpacingPx = 3, kMostScenes = 10000, kTrainScenes = 120,
              kValScenes = 24;
/// What `dataset import --from` knows.
constexpr const char* kFormats[] = {"coco", "lvis",       "labelme",     "yolo",    "voc",  "cvat",
                                    "via",  "cityscapes", "labelstudio", "geojson", "masks"};

QLabel* explanation(const QString& text) {
  auto* label = new QLabel(text);
  label->setWordWrap(true);
  widgets::setRole(label, "muted");
  return label;
}

QLabel* heading(const QString& text) {
  auto* label = new QLabel(text);
  label->setFont(widgets::interfaceFont(14, QFont::DemiBold));
  label->setWordWrap(true);
  return label;
}

/// A page with a heading and an explanation, to which the caller adds the rest.
QVBoxLayout* pageColumn(QWidget* page, const QString& title, const QString& text) {
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(18, 2, 0, 0);
  column->setSpacing(8);
  column->addWidget(heading(title));
  column->addWidget(explanation(text));
  column->addSpacing(4);
  return column;
}

QFormLayout* formBelow(QVBoxLayout* column) {
  auto* form = new QFormLayout;
  form->setHorizontalSpacing(12);
  form->setVerticalSpacing(8);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  column->addLayout(form);
  column->addStretch();
  return form;
}

/// A folder that can be typed or chosen.
QWidget* folderRow(QLineEdit* edit, const QString& title) {
  auto* row = new QWidget;
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  auto* browse = new QPushButton(QDialog::tr("Browse…"));
  browse->setAutoDefault(false);
  browse->setAccessibleName(title);
  layout->addWidget(edit, 1);
  layout->addWidget(browse);
  edit->setAccessibleName(title);
  QObject::connect(browse, &QPushButton::clicked, edit, [edit, title] {
    const QString folder = QFileDialog::getExistingDirectory(edit->window(), title,
                                                             jobs::folderToBeginWith(edit->text()));
    if (folder.isEmpty()) return;
    edit->setText(folder);
    edit->setModified(true);
  });
  return row;
}

/// Hidden until it is known that the list is empty.
widgets::EmptyState* insteadOf(const QListWidget* list) {
  auto* empty = new widgets::EmptyState;
  empty->setObjectName(QStringLiteral("no_") + list->objectName());
  empty->setCompact(true);
  empty->hide();
  return empty;
}

QLineEdit* numberField(int value, int most) {
  auto* edit = new QLineEdit(QString::number(value));
  edit->setValidator(new QIntValidator(1, most, edit));
  edit->setMaximumWidth(widgets::scaledPx(kNumberPx));
  return edit;
}

}  // namespace

QWidget* NewExperimentDialog::buildDataPage() {
  auto* page = new QWidget;
  auto* column =
      pageColumn(page, tr("From a folder of data"),
                 tr("Converts annotations of any of these formats to COCO, and writes an "
                    "experiment. Images stay where they are."));
  source_ = new QLineEdit;
  source_->setObjectName(QStringLiteral("dataFolder"));
  source_->setPlaceholderText(tr("Folder with images and annotations"));
  format_ = new QComboBox;
  format_->addItem(tr("Detect automatically"), QString());
  for (const char* name : kFormats)
    format_->addItem(QString::fromLatin1(name), QString::fromLatin1(name));
  importTo_ = new QLineEdit;
  importTo_->setObjectName(QStringLiteral("importFolder"));
  importTo_->setPlaceholderText(tr("A new folder for annotations and experiment.yaml"));
  QFormLayout* form = formBelow(column);
  form->addRow(tr("Data"), folderRow(source_, tr("Folder of data")));
  form->addRow(tr("Format"), format_);
  form->addRow(tr("Write to"), folderRow(importTo_, tr("Folder to create")));
  return page;
}

QWidget* NewExperimentDialog::buildTemplatePage() {
  auto* page = new QWidget;
  auto* column = pageColumn(page, tr("From a template"),
                            tr("A short file that inherits from the template and sets only what "
                               "differs."));
  templateList_ = new QListWidget;
  templateList_->setObjectName(QStringLiteral("templates"));
  templateList_->setWordWrap(true);
  templateList_->setSpacing(kListSpacingPx);
  templateList_->setAccessibleName(tr("Templates"));
  column->addWidget(templateList_, 1);
  noTemplates_ = insteadOf(templateList_);
  noTemplates_->setContent(
      tr("No templates were found"),
      tr("Templates are YAML files in %1. The program was moved without them: copy them there, or "
         "start from data, a run or synthetic data.")
          .arg(templatePlaces().join(tr(" or "))),
      tr("Start from data"));
  column->addWidget(noTemplates_, 1);
  return page;
}

QWidget* NewExperimentDialog::buildRunPage() {
  auto* page = new QWidget;
  auto* column = pageColumn(page, tr("From a run"),
                            tr("A copy of its experiment file, with the overrides of the run."));
  runList_ = new QListWidget;
  runList_->setObjectName(QStringLiteral("runs"));
  runList_->setSpacing(kListSpacingPx);
  runList_->setAccessibleName(tr("Runs"));
  column->addWidget(runList_, 1);
  noRuns_ = insteadOf(runList_);
  noRuns_->setContent(tr("No runs to copy"), tr("Runs of Lockstep on this machine appear here."),
                      tr("Start from data"));
  column->addWidget(noRuns_, 1);
  return page;
}

QWidget* NewExperimentDialog::buildScenesPage() {
  auto* page = new QWidget;
  auto* column = pageColumn(
      page, tr("Synthetic data"),
      tr("Images of shapes with exact masks, and a small model that learns them from scratch in a "
         "few minutes on two CPU cores. Nothing is downloaded."));
  trainImages_ = numberField(kTrainScenes, kMostScenes);
  trainImages_->setObjectName(QStringLiteral("trainScenes"));
  valImages_ = numberField(kValScenes, kMostScenes);
  valImages_->setObjectName(QStringLiteral("valScenes"));
  scenesTo_ = new QLineEdit(freePath(workFolder(), QStringLiteral("synthetic-data")));
  scenesTo_->setObjectName(QStringLiteral("scenesFolder"));
  QFormLayout* form = formBelow(column);
  const QString limits = tr("%1, 1 to %2");
  form->addRow(limits.arg(tr("Training images")).arg(kMostScenes), trainImages_);
  form->addRow(limits.arg(tr("Validation images")).arg(kMostScenes), valImages_);
  form->addRow(tr("Write to"), folderRow(scenesTo_, tr("Folder to create")));
  return page;
}

QWidget* NewExperimentDialog::buildFindingsPage() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(18, 2, 0, 0);
  column->setSpacing(8);
  findingsTitle_ = heading({});
  findingsTitle_->setObjectName(QStringLiteral("findingsTitle"));
  findings_ = new QPlainTextEdit;
  findings_->setObjectName(QStringLiteral("findings"));
  findings_->setReadOnly(true);
  findings_->setFont(widgets::monoFont(12));
  findings_->setAccessibleName(tr("Statistics and errors of the data"));
  column->addWidget(findingsTitle_);
  column->addWidget(findings_, 1);
  return page;
}

}  // namespace lockstep::app
