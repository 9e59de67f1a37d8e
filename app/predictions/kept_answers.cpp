#include "app/predictions/kept_answers.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"

namespace lockstep::app {
namespace {

constexpr qint64 kMostBytes = qint64{256} << 20;
constexpr int kHashLength = 16;
const QString kPictures = QStringLiteral("pictures"), kSeen = QStringLiteral("seen");
/// The first line of a kept answer, which is an object whose first member this is.
constexpr const char *kAsked = "{\"asked\": ", *kEndOfAsked = ",\n";

QString shortHash(const QString& text) {
  const QByteArray hash = QCryptographicHash::hash(text.toUtf8(), QCryptographicHash::Sha256);
  return QString::fromLatin1(hash.toHex().left(kHashLength));
}

QJsonObject askedObject(const KeptAnswer& asked) {
  QJsonObject object{{QStringLiteral("part"), static_cast<int>(asked.part)},
                     {QStringLiteral("step"), asked.step},
                     {QStringLiteral("files"), QJsonArray::fromStringList(asked.files)}};
  if (asked.image) object[QStringLiteral("image")] = *asked.image;
  return object;
}

QByteArray textOf(const QJsonObject& object) {
  return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

/// Texts, as numbers may lose digits.
QJsonArray arrayOf(const std::vector<SeenFile>& seen) {
  QJsonArray array;
  for (const auto& [file, version] : seen)
    array.append(QJsonArray{file, QString::number(version.changedNs),
                            QString::number(version.bytes), QString::number(version.inode)});
  return array;
}

/// Those that are the same still.
std::vector<SeenFile> unchangedIn(const QJsonArray& array) {
  std::vector<SeenFile> same;
  for (const QJsonValue& each : array) {
    const QJsonArray texts = each.toArray();
    const SeenFile seen{texts[0].toString(),
                        {texts[1].toString().toLongLong(), texts[2].toString().toLongLong(),
                         static_cast<ino_t>(texts[3].toString().toULongLong())}};
    const auto now = base::FileVersion::of(seen.file.toStdString());
    if (now.exists() && now == seen.version) same.push_back(seen);
  }
  return same;
}

/// std::nullopt: it is no kept answer.
std::optional<KeptAnswer> askedIn(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
  const QByteArray line = file.readLine();
  if (!line.startsWith(kAsked) || !line.endsWith(kEndOfAsked)) return std::nullopt;
  const QByteArray text =
      line.mid(qstrlen(kAsked), line.size() - qsizetype(qstrlen(kAsked) + qstrlen(kEndOfAsked)));
  const QJsonObject object = QJsonDocument::fromJson(text).object();
  const int part = object[QStringLiteral("part")].toInt(-1);
  if (part < 0 || part > static_cast<int>(ImagePart::Opened)) return std::nullopt;
  KeptAnswer asked{.part = static_cast<ImagePart>(part),
                   .step = object[QStringLiteral("step")].toInteger(),
                   .path = path};
  if (const QJsonValue image = object[QStringLiteral("image")]; image.isDouble())
    asked.image = image.toInteger();
  for (const QJsonValue& each : object[QStringLiteral("files")].toArray())
    asked.files.append(each.toString());
  asked.seen = unchangedIn(object[kSeen].toArray());
  return asked;
}

}  // namespace

std::vector<SeenFile> seenNow(const QStringList& files) {
  std::vector<SeenFile> seen;
  for (const QString& file : files)
    seen.push_back({file, base::FileVersion::of(file.toStdString())});
  return seen;
}

KeptAnswers KeptAnswers::beside(const QString& draftFolder) {
  return draftFolder.isEmpty()
             ? KeptAnswers()
             : KeptAnswers(QFileInfo(draftFolder).dir().filePath(QStringLiteral("predictions")));
}

QString KeptAnswers::folderOf(const Attempt& run) const {
  return QDir(folder_).filePath(shortHash(
      QStringLiteral("%1 %2 %3").arg(run.runFolder).arg(run.created, 0, 'f', 3).arg(run.attempt)));
}

QString KeptAnswers::pathOf(const Attempt& run, const KeptAnswer& asked) const {
  const QString name = shortHash(QString::fromUtf8(textOf(askedObject(asked))));
  return QDir(folderOf(run)).filePath(name + QStringLiteral(".json"));
}

void KeptAnswers::keep(const Attempt& run, const KeptAnswer& asked, const QString& answer) const {
  if (isNone()) return;
  try {
    const std::string text = base::readFile(answer.toStdString());
    const std::size_t begin = text.find_first_not_of(" \n\r\t");
    if (begin == std::string::npos) return;
    const bool isList = text[begin] == '[';
    QJsonObject object = askedObject(asked);
    object[kSeen] = arrayOf(asked.seen);
    std::string kept = kAsked + textOf(object).toStdString() + kEndOfAsked;
    kept += isList ? "\"detections\": " + text + "}" : text.substr(begin + 1);
    QDir().mkpath(folderOf(run));
    base::writeFileAtomically(pathOf(run, asked).toStdString(), kept);
    makeRoom();
  } catch (const Error&) {
    return;
  }
}

std::vector<KeptAnswer> KeptAnswers::find(const Attempt& run) const {
  std::vector<KeptAnswer> found;
  if (isNone()) return found;
  const QFileInfoList files =
      QDir(folderOf(run))
          .entryInfoList({QStringLiteral("*.json")}, QDir::Files, QDir::Time | QDir::Reversed);
  for (const QFileInfo& file : files)
    if (auto asked = askedIn(file.filePath())) found.push_back(*std::move(asked));
  return found;
}

QString KeptAnswers::newPicturePath() const {
  if (isNone() || !QDir(folder_).mkpath(kPictures)) return {};
  return QDir(folder_).filePath(
      QStringLiteral("%1/pasted-%2.png").arg(kPictures).arg(QDateTime::currentMSecsSinceEpoch()));
}

void KeptAnswers::removePictures(const QStringList& files) const {
  if (isNone()) return;
  const QString own = QDir(folder_).filePath(kPictures);
  for (const QString& file : files)
    if (QFileInfo(file).path() == own) QFile::remove(file);
}

void KeptAnswers::makeRoom() const {
  QFileInfoList files;
  QDirIterator each(folder_, QDir::Files, QDirIterator::Subdirectories);
  while (each.hasNext()) files.append(each.nextFileInfo());
  std::ranges::sort(files, std::greater(),
                    [](const QFileInfo& file) { return file.lastModified(); });
  qint64 bytes = 0;
  for (const QFileInfo& file : files)
    if ((bytes += file.size()) > kMostBytes) QFile::remove(file.filePath());
}

}  // namespace lockstep::app
