#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/serve/http_message.h"
#include "engine/serve/pixel_arrays.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;

namespace {

/// A file as numpy.save writes it.
std::string npyOf(const std::string& shape, const std::string& data,
                  const std::string& type = "|u1", const std::string& isFortran = "False") {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': " + isFortran + ", 'shape': " + shape + ", }";
  header.append(118 - 1 - header.size(), ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + data;
}

std::vector<std::string> imagesOf(const std::string& npy) {
  std::vector<std::string> images;
  serve::eachImageOfNpy(npy, [&](std::string image) { images.push_back(std::move(image)); });
  return images;
}

/// Rows of RGB values in a BMP file of 24 bits a pixel.
std::string pixelsOf(const std::string& file) {
  const auto number = [&](std::size_t at, int bytes) {
    std::size_t value = 0;
    for (int i = bytes; i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(file.at(at + static_cast<std::size_t>(i)));
    return value;
  };
  const std::size_t pixels = number(10, 4), width = number(18, 4), height = number(22, 4);
  const std::size_t rowBytes = (24 * width + 31) / 32 * 4;
  if (!file.starts_with("BM") || number(2, 4) != file.size() || number(14, 4) != 40 ||
      number(26, 2) != 1 || number(28, 2) != 24 || number(30, 4) != 0 ||
      file.size() != pixels + rowBytes * height)
    return "no BMP";
  std::string text;
  for (std::size_t y = height; y-- > 0;) {
    for (std::size_t x = 0; x < width; ++x)
      for (std::size_t channel = 3; channel-- > 0;)
        text += std::to_string(number(pixels + y * rowBytes + 3 * x + channel, 1)) +
                (channel > 0 ? "," : " ");
    text += "/ ";
  }
  return text;
}

std::string refusalOf(const std::function<void()>& work) {
  try {
    work();
  } catch (const serve::HttpError& error) {
    return std::to_string(error.status) + " " + error.message;
  }
  return {};
}

}  // namespace

class TstPixelArrays : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void arraysAreImages_data() {
    QTest::addColumn<std::string>("npy");
    QTest::addColumn<std::vector<std::string>>("images");
    QTest::newRow("RGB") << npyOf("(1, 2, 3)", "\x01\x02\x03\xfd\xfe\xff")
                         << std::vector<std::string>{"1,2,3 253,254,255 / "};
    QTest::newRow("grey") << npyOf("(2, 1)", "\x07\x08")
                          << std::vector<std::string>{"7,7,7 / 8,8,8 / "};
    QTest::newRow("one channel") << npyOf("(1, 1, 1)", "\x07")
                                 << std::vector<std::string>{"7,7,7 / "};
    QTest::newRow("several") << npyOf("(2, 1, 1, 3)", "\x01\x02\x03\x04\x05\x06")
                             << std::vector<std::string>{"1,2,3 / ", "4,5,6 / "};
  }
  void arraysAreImages() {
    QFETCH(std::string, npy);
    QFETCH(std::vector<std::string>, images);
    const std::vector<std::string> found = imagesOf(npy);
    QCOMPARE(found.size(), images.size());
    for (std::size_t i = 0; i < images.size(); ++i) QCOMPARE(pixelsOf(found[i]), images[i]);
  }

  void otherArraysAreRefused_data() {
    QTest::addColumn<std::string>("npy");
    QTest::addColumn<std::string>("why");
    const auto row = [](const char* name, const std::string& npy, const char* why) {
      QTest::newRow(name) << npy << std::string(why);
    };
    const std::string three = "\x01\x02\x03";
    row("no file", "P6 1 1 255 abc", "not a NumPy file");
    row("no data", npyOf("(1, 1, 3)", ""), "does not match its shape");
    row("cut", npyOf("(1, 1, 3)", three).substr(0, 50), "truncated");
    row("floats", npyOf("(1, 1)", "abcd", "<f4"), "must be uint8");
    row("columns first", npyOf("(1, 3)", three, "|u1", "True"), "numpy.ascontiguousarray");
    row("one side", npyOf("(3,)", three), "the shape must be [height, width]");
    row("four channels", npyOf("(1, 1, 4)", "abcd"), "the shape must be");
    row("channels first", npyOf("(3, 1, 2)", "abcdef"), "the shape must be");
    row("nothing", npyOf("(0, 1, 3)", ""), "is empty");
    row("too many bytes", npyOf("(1, 1, 3)", "abcd"), "does not match its shape");
    row("sides whose product is small again", npyOf("(4294967296, 4294967296, 3)", three),
        "does not match its shape");
    row("no shape", std::string("\x93NUMPY\x01\x00\x02\x00{}abc", 15), "has no shape and dtype");
  }
  void otherArraysAreRefused() {
    QFETCH(std::string, npy);
    QFETCH(std::string, why);
    const std::string refusal = refusalOf([&] { imagesOf(npy); });
    QVERIFY2(refusal.starts_with("400 application/x-npy: ") && contains(refusal, why),
             refusal.c_str());
  }

  void listsOfPixelsAreImages() {
    const auto image = [](const char* rows) {
      return serve::imageOfPixels(nlohmann::json::parse(rows));
    };
    QCOMPARE(pixelsOf(image("[[[1,2,3],[4,5,6]],[[7,8,9],[0,0,255]]]")),
             std::string("1,2,3 4,5,6 / 7,8,9 0,0,255 / "));
    for (const char* rows : {"[]", "[[]]", "[[0,0,0]]", "[[[0,0]]]", "[[[0,0,256]]]",
                             "[[[0,0,-1]]]", "[[[0,0,0.5]]]", "[[[0,0,0]],[]]", "[[[0,0,0]],0]"}) {
      const std::string refusal = refusalOf([&] { image(rows); });
      QVERIFY2(refusal.starts_with("400 an image of pixels must be"), rows);
    }
  }
};

LOCKSTEP_TEST(TstPixelArrays)
#include "tst_pixel_arrays.moc"
