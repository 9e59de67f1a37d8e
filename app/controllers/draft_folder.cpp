#include "app/controllers/draft_folder.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QUuid>
#include <algorithm>
#include <filesystem>
#include <optional>

#include "app/controllers/draft_keeper.h"
#include "engine/base/error.h"
#include "engine/base/file_lock.h"

namespace lockstep::app {
namespace {

constexpr unsigned kOwnerAlone = 0600;

QString draftFile(const QString& folder, const QString& id) {
  return folder + QLatin1Char('/') + id + QStringLiteral(".json");
}

std::filesystem::path lockFile(const QString& folder, const QString& id) {
  return std::filesystem::path(folder.toStdString()) / (id.toStdString() + ".lock");
}

std::optional<QByteArray> contentOf(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
  return file.readAll();
}

/// IDs of the files with this ending; files that are not drafts are ignored.
QStringList idsIn(const QString& folder, const QString& ending = QStringLiteral(".json")) {
  QStringList ids;
  if (folder.isEmpty()) return ids;
  for (const QString& name : QDir(folder).entryList({QLatin1Char('*') + ending}, QDir::Files)) {
    const QString id = name.chopped(ending.size());
    if (!QUuid::fromString(id).isNull()) ids.append(id);
  }
  return ids;
}

std::optional<Draft> readDraft(const QString& folder, const QString& id) {
  const auto json = contentOf(draftFile(folder, id));
  return json ? draftOf(*json) : std::nullopt;
}

bool isDamaged(const QString& folder, const QString& id) {
  const auto json = contentOf(draftFile(folder, id));
  return json && !draftOf(*json);
}

}  // namespace

QString DraftFolder::defaultFolder() {
  // A relative path is ignored (XDG Base Directory Specification).
  QString state = qEnvironmentVariable("XDG_STATE_HOME");
  if (!QDir::isAbsolutePath(state)) state = QDir::homePath() + QStringLiteral("/.local/state");
  return state + QStringLiteral("/lockstep/drafts");
}

QList<OrphanedDraft> DraftFolder::orphaned() const {
  removeStrayLocks();
  QList<OrphanedDraft> found;
  for (const QString& id : idsIn(folder_)) {
    if (base::FileLock::isHeld(lockFile(folder_, id))) continue;
    const std::optional<Draft> draft = readDraft(folder_, id);
    if (!draft) continue;
    // The program was killed after saving and before removing the draft.
    if (!draft->file.isEmpty() && contentOf(draft->file) == draft->text.toUtf8()) {
      if (const auto keeper = take(id)) keeper->drop();
      continue;
    }
    found.append({id, *draft});
  }
  std::sort(found.begin(), found.end(), [](const OrphanedDraft& a, const OrphanedDraft& b) {
    return a.draft.edited > b.draft.edited;
  });
  return found;
}

/// Removes locks of programs that were killed before they wrote or after they removed the draft.
void DraftFolder::removeStrayLocks() const {
  for (const QString& id : idsIn(folder_, QStringLiteral(".lock"))) {
    const bool isStray =
        !QFile::exists(draftFile(folder_, id)) && !base::FileLock::isHeld(lockFile(folder_, id));
    if (isStray) take(id);
  }
}

QStringList DraftFolder::setAsideDamaged() const {
  QStringList places;
  for (const QString& id : idsIn(folder_)) {
    if (base::FileLock::isHeld(lockFile(folder_, id)) || !isDamaged(folder_, id)) continue;
    const auto keeper = take(id);
    if (!keeper || !isDamaged(folder_, id)) continue;  // another window has taken it
    const QString place = folder_ + QLatin1Char('/') + id + QStringLiteral(".damaged");
    if (!QFile::rename(draftFile(folder_, id), place)) continue;
    keeper->drop();
    places.append(place);
  }
  return places;
}

bool DraftFolder::isEditedElsewhere(const QString& file, const DraftKeeper* own) const {
  for (const QString& id : idsIn(folder_)) {
    if (own && own->id() == id) continue;
    if (!base::FileLock::isHeld(lockFile(folder_, id))) continue;
    const std::optional<Draft> draft = readDraft(folder_, id);
    if (draft && draft->file == file) return true;
  }
  return false;
}

std::unique_ptr<DraftKeeper> DraftFolder::make() const {
  if (folder_.isEmpty()) return nullptr;
  std::error_code failure;
  const std::filesystem::path folder = folder_.toStdString();
  std::filesystem::create_directories(folder, failure);
  if (failure) throw Error(folder.string() + ": cannot be created: " + failure.message());
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failure);
  const QString id = QUuid::createUuid().toString(QUuid::WithoutBraces);
  auto lock = base::FileLock::tryAcquire(lockFile(folder_, id), kOwnerAlone);
  if (!lock) throw Error(folder.string() + ": a new file in it is locked by another program");
  return std::make_unique<DraftKeeper>(folder_, id, std::move(*lock));
}

std::unique_ptr<DraftKeeper> DraftFolder::take(const QString& id) const {
  try {
    auto lock = base::FileLock::tryAcquire(lockFile(folder_, id), kOwnerAlone);
    if (!lock) return nullptr;
    if (!QFile::exists(draftFile(folder_, id))) {  // another window took, saved and removed it
      std::filesystem::remove(lockFile(folder_, id));
      return nullptr;
    }
    return std::make_unique<DraftKeeper>(folder_, id, std::move(*lock));
  } catch (const std::exception&) {
    return nullptr;  // the draft stays where it is
  }
}

}  // namespace lockstep::app
