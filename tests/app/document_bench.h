#pragma once

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "app/documents/document_controller.h"
#include "tests/app/scripted_answers.h"
#include "tests/support/text.h"

namespace lockstep::tests {

/// The last line of edited_documents.
inline constexpr const char* kAllSaid = "all";

/// The document of a window: the controller with the text that is edited.
struct DocumentWindow {
  explicit DocumentWindow(const QString& drafts)
      : document([this] { return shown; }, &answers, drafts) {
    QObject::connect(&document, &app::DocumentController::opened,
                     [this](const QString& opened) { shown = opened; });
    QObject::connect(&document, &app::DocumentController::textReplaced,
                     [this](const QString& taken) {
                       shown = taken;
                       document.markEdited();
                     });
  }
  void type(const char* bytes) {
    shown = text(bytes);
    document.markEdited();
  }

  QString shown;
  ScriptedAnswers answers;
  app::DocumentController document;
};

/// A folder with documents and drafts, and windows that use it.
class DocumentBench {
 public:
  void clear() { folder_ = std::make_unique<QTemporaryDir>(); }
  QString folder() const { return folder_->path(); }
  QString path(const char* name) const { return folder_->filePath(text(name)); }
  QString drafts() const { return path("state"); }
  QList<app::OrphanedDraft> orphanedDrafts() const { return app::DraftFolder(drafts()).orphaned(); }
  std::unique_ptr<DocumentWindow> window() const {
    return std::make_unique<DocumentWindow>(drafts());
  }
  int draftCount() const {
    return static_cast<int>(QDir(drafts()).entryList({text("*.json")}).size());
  }
  static void write(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
  }
  static QByteArray read(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  /// A window with a.yaml ("one") in which "two" was typed.
  std::unique_ptr<DocumentWindow> edited() {
    write(path("a.yaml"), "one");
    auto made = window();
    if (!made->document.open(path("a.yaml"))) return nullptr;
    made->type("two");
    return made;
  }

 private:
  std::unique_ptr<QTemporaryDir> folder_ = std::make_unique<QTemporaryDir>();
};

}  // namespace lockstep::tests
