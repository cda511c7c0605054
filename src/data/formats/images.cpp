#include "data/formats/images.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "data/catalog/catalog.h"
#include "data/catalog/spec.h"
#include "data/input/input_stream.h"

namespace headroom {
namespace fs = std::filesystem;
namespace {

constexpr uint32_t images_magic = 2051;
constexpr uint32_t labels_magic = 2049;
constexpr int64_t classes = 10;
constexpr uint32_t most_images = 10'000'000;
constexpr uint32_t largest_side = 4096;

uint32_t read_number(InputStream& input) {
  std::array<char, 4> bytes{};
  if (input.read(bytes.data(), bytes.size()) < bytes.size()) {
    input.fail("ends inside its header; an incomplete download?");
  }
  uint32_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<uint8_t>(byte);
  return number;
}

void expect_magic(InputStream& input, uint32_t expected, std::string_view what) {
  const uint32_t magic = read_number(input);
  if (magic == expected) return;
  input.fail(
      fmt::format("starts with {}, not with {} as an idx file of {} does", magic, expected, what));
}

uint32_t read_size(InputStream& input, std::string_view what, uint32_t most) {
  const uint32_t size = read_number(input);
  if (size < 1 || size > most)
    input.fail(fmt::format("says {} {}, expected 1 to {}", size, what, most));
  return size;
}

// `to_come` bytes should follow.
void read_exactly(InputStream& input, uint8_t* target, size_t size, size_t to_come = 0) {
  const size_t got = input.read(reinterpret_cast<char*>(target), size);
  if (got == size) return;
  input.fail(fmt::format("ends {} bytes early; an incomplete download?", size - got + to_come));
}

// One image, with the size that was set.
void read_pixels(InputStream& input, size_t images_to_come, MemoryAllowance& memory,
                 ImageDataset& into) {
  const auto bytes = static_cast<size_t>(into.format.values());
  if (!memory.take(bytes)) memory.fail(input.name());
  const size_t before = into.pixels.size();
  into.pixels.resize(before + bytes);
  read_exactly(input, into.pixels.data() + before, bytes, images_to_come * bytes);
}

void expect_end(InputStream& input) {
  if (!input.peek().empty()) input.fail("goes on after the images its header promises");
}

int32_t checked_label(InputStream& input, uint8_t label, size_t image) {
  if (label < classes) return label;
  input.fail(
      fmt::format("image {} has the label {}, expected 0 to {}", image + 1, label, classes - 1));
}

// Every source has images of the same size.
void set_format(InputStream& input, const ImageFormat& format, ImageDataset& into) {
  if (into.format.side == 0) into.format = format;
  if (into.format == format) return;
  input.fail(fmt::format("has images of {} x {} with {} channels, the ones before {} x {} with {}",
                         format.side, format.side, format.channels, into.format.side,
                         into.format.side, into.format.channels));
}

void name_labels(ImageDataset& images, const std::vector<std::string>& names) {
  images.names = names;
  for (int64_t i = static_cast<int64_t>(names.size()); i < classes; ++i) {
    images.names.push_back(std::to_string(i));
  }
}

void read_known_images(const DataSource& source, const fs::path& data_dir, MemoryAllowance& memory,
                       ImageDataset& into) {
  const CatalogEntry& entry = *find_entry(source.name);
  if (entry.task != Task::image) {
    throw Error(ErrorCode::usage, "load images",
                fmt::format("{} is for --task {}", source.name, task_name(entry.task)));
  }
  const FoundPart found = require_part(entry, data_dir, source.part);
  if (found.layout->format == FileFormat::idx_images) {
    read_idx(found.files[0], found.files[1], memory, into);
  } else {
    for (const fs::path& file : found.files) read_cifar(file, memory, into);
  }
  name_labels(into, found.layout->labels);
}

}  // namespace

void read_idx(const fs::path& images, const fs::path& labels, MemoryAllowance& memory,
              ImageDataset& into) {
  InputStream pixels(images);
  InputStream answers(labels);
  expect_magic(pixels, images_magic, "images");
  expect_magic(answers, labels_magic, "labels");
  const uint32_t count = read_size(pixels, "images", most_images);
  const uint32_t rows = read_size(pixels, "rows", largest_side);
  const uint32_t columns = read_size(pixels, "columns", largest_side);
  if (rows != columns) pixels.fail(fmt::format("has images of {} x {}, not square", rows, columns));
  const uint32_t answered = read_size(answers, "labels", most_images);
  if (answered != count) {
    answers.fail(
        fmt::format("has {} labels for the {} images of {}", answered, count, images.string()));
  }
  set_format(pixels, {rows, 1, 0}, into);
  for (uint32_t i = 0; i < count; ++i) read_pixels(pixels, count - i - 1, memory, into);
  expect_end(pixels);
  std::vector<uint8_t> read(count);
  read_exactly(answers, read.data(), count);
  expect_end(answers);
  for (size_t i = 0; i < read.size(); ++i)
    into.labels.push_back(checked_label(answers, read[i], i));
}

void read_cifar(const fs::path& file, MemoryAllowance& memory, ImageDataset& into) {
  InputStream input(file);
  set_format(input, {32, 3, 0}, into);
  if (input.peek().empty()) input.fail("is empty");
  for (size_t image = 0; !input.peek().empty(); ++image) {
    uint8_t label = 0;
    read_exactly(input, &label, 1);
    into.labels.push_back(checked_label(input, label, image));
    read_pixels(input, 0, memory, into);
  }
}

ImageDataset load_images(std::string_view spec, const fs::path& data_dir, uint64_t max_memory) {
  ImageDataset images;
  MemoryAllowance memory(max_memory, "load images", "images");
  images.name = std::string(spec);
  name_labels(images, {});
  for (const DataSource& source : parse_data_spec(spec).sources) {
    if (source.kind == SourceKind::idx) {
      read_idx(source.paths[0], source.paths[1], memory, images);
    } else if (source.kind == SourceKind::cifar) {
      for (const std::string& path : source.paths) read_cifar(path, memory, images);
    } else if (source.kind == SourceKind::named) {
      read_known_images(source, data_dir, memory, images);
    } else {
      throw Error(ErrorCode::usage, "load images",
                  fmt::format("{} holds no images: idx:IMAGES,LABELS, cifar:FILE, mnist or cifar10",
                              source.spelled));
    }
  }
  return images;
}

ImageDataset pick_images(const ImageDataset& images, const std::vector<int32_t>& rows) {
  ImageDataset picked{images.name, images.format, {}, {}, images.names};
  const auto bytes = static_cast<int64_t>(images.format.values());
  picked.pixels.reserve(rows.size() * static_cast<size_t>(bytes));
  for (const int32_t row : rows) {
    const auto begin = images.pixels.begin() + row * bytes;
    picked.pixels.insert(picked.pixels.end(), begin, begin + bytes);
    picked.labels.push_back(images.labels[static_cast<size_t>(row)]);
  }
  return picked;
}

}  // namespace headroom
