#include "widgets/image_view/png_shrinking.h"

#include <png.h>

#include <array>
#include <csetjmp>
#include <cstring>
#include <utility>
#include <vector>

namespace lockstep::widgets {
namespace {

constexpr std::size_t kChannels = 4;  // libpng is made to give RGBA of 8 bits

/// libpng leaves its functions by longjmp(), which no destructor may stand in the way of: what they
/// work on is here.
class PngReader {
 public:
  PngReader(const QByteArray& bytes, int shrink) : bytes_(bytes), shrink_(shrink) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &PngReader::fail, &PngReader::warn);
    info_ = png_create_info_struct(png_);
    png_set_read_fn(png_, this, &PngReader::take);
    png_set_user_limits(png_, 1'000'000, 1'000'000);
  }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  bool read() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    readHeader();
    if (picture_.isNull()) return false;
    if (png_get_interlace_type(png_, info_) == PNG_INTERLACE_NONE) {
      readRows();
    } else {
      readPasses();
    }
    return true;
  }
  QImage takePicture() {
    picture_.convertTo(hasAlpha_ ? QImage::Format_ARGB32_Premultiplied : QImage::Format_RGB32);
    return std::move(picture_);
  }
  QString error() const { return QString::fromLatin1(error_); }

 private:
  static PngReader& readerOf(void* pointer) { return *static_cast<PngReader*>(pointer); }
  static void fail(png_structp png, png_const_charp what) {
    std::strncpy(readerOf(png_get_error_ptr(png)).error_, what, sizeof error_ - 1);
    png_longjmp(png, 1);
  }
  static void warn(png_structp, png_const_charp) {}
  static void take(png_structp png, png_bytep to, png_size_t count) {
    PngReader& reader = readerOf(png_get_io_ptr(png));
    if (count > static_cast<png_size_t>(reader.bytes_.size()) - reader.at_)
      png_error(png, "the file is truncated");
    std::memcpy(to, reader.bytes_.constData() + reader.at_, count);
    reader.at_ += count;
  }

  void readHeader() {
    png_read_info(png_, info_);
    png_set_expand(png_);
    png_set_scale_16(png_);
    png_set_gray_to_rgb(png_);
    png_set_filler(png_, 0xff, PNG_FILLER_AFTER);
    png_read_update_info(png_, info_);
    width_ = png_get_image_width(png_, info_);
    height_ = png_get_image_height(png_, info_);
    hasAlpha_ = (png_get_color_type(png_, info_) & PNG_COLOR_MASK_ALPHA) != 0 ||
                png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
    picture_ = QImage(static_cast<int>(width_ / shrink_), static_cast<int>(height_ / shrink_),
                      QImage::Format_RGBA8888);
    row_.resize(png_get_rowbytes(png_, info_));
  }

  void readRows() {
    sums_.assign(static_cast<std::size_t>(picture_.width()) * kChannels, 0);
    for (int y = 0; y < picture_.height(); ++y) {
      for (png_uint_32 i = 0; i < shrink_; ++i) {
        png_read_row(png_, row_.data(), nullptr);
        addRow();
      }
      uchar* const to = picture_.scanLine(y);
      const png_uint_32 count = shrink_ * shrink_;
      for (std::size_t i = 0; i < sums_.size(); ++i) {
        to[i] = static_cast<uchar>((sums_[i] + count / 2) / count);
        sums_[i] = 0;
      }
    }
  }
  void addRow() {
    const png_byte* from = row_.data();
    for (std::size_t i = 0; i < sums_.size(); i += kChannels) {
      std::array<std::uint32_t, kChannels> sum{};
      for (png_uint_32 x = 0; x < shrink_; ++x, from += kChannels)
        for (std::size_t c = 0; c < kChannels; ++c) sum[c] += from[c];
      for (std::size_t c = 0; c < kChannels; ++c) sums_[i + c] += sum[c];
    }
  }

  /// The first passes of Adam7 have every pixel of the smaller picture.
  void readPasses() {
    const int passes = shrink_ >= 8 ? 1 : shrink_ >= 4 ? 3 : 5;
    for (int pass = 0; pass < passes; ++pass) {
      if (PNG_PASS_COLS(width_, pass) == 0) continue;
      for (png_uint_32 row = 0; row < PNG_PASS_ROWS(height_, pass); ++row) {
        png_read_row(png_, row_.data(), nullptr);
        putPassRow(PNG_ROW_FROM_PASS_ROW(row, pass), pass);
      }
    }
  }
  void putPassRow(png_uint_32 y, int pass) {
    const png_uint_32 to = y / shrink_;
    if (y % shrink_ != 0 || to >= static_cast<png_uint_32>(picture_.height())) return;
    uchar* const line = picture_.scanLine(static_cast<int>(to));
    for (png_uint_32 column = 0; column < PNG_PASS_COLS(width_, pass); ++column) {
      const png_uint_32 x = PNG_COL_FROM_PASS_COL(column, pass);
      if (x % shrink_ != 0 || x / shrink_ >= static_cast<png_uint_32>(picture_.width())) continue;
      std::memcpy(line + x / shrink_ * kChannels, row_.data() + column * kChannels, kChannels);
    }
  }

  const QByteArray& bytes_;
  png_uint_32 shrink_;
  png_size_t at_ = 0;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  png_uint_32 width_ = 0, height_ = 0;
  bool hasAlpha_ = false;
  std::vector<png_byte> row_;
  std::vector<std::uint32_t> sums_;  ///< of the pixels of a row of the picture, by channel
  QImage picture_;
  char error_[96] = "there is not enough memory";
};

}  // namespace

QImage decodePngSmaller(const QByteArray& bytes, int shrink, QString& error) {
  PngReader reader(bytes, shrink);
  if (reader.read()) return reader.takePicture();
  error = reader.error();
  return {};
}

}  // namespace lockstep::widgets
