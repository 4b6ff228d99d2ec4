// Draws the Mandelbrot set into a PPM file. Pixels inside take a hundred times as long as those outside: the loop balances itself.
#include <complex>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <pilfer/pilfer.hpp>

namespace {

constexpr std::size_t width = 300;
constexpr std::size_t height = 200;
constexpr int most_steps = 255;

int steps_at(std::size_t x, std::size_t y) {
  const std::complex<double> c(-2.0 + 3.0 * static_cast<double>(x) / width,
                               -1.0 + 2.0 * static_cast<double>(y) / height);
  std::complex<double> z = 0;
  int steps = 0;
  while (steps < most_steps && std::norm(z) <= 4) {
    z = z * z + c;
    ++steps;
  }
  return steps;
}

struct pixel {
  unsigned char red, green, blue;
};

pixel colour(int steps) {
  if (steps == most_steps) return {0, 0, 0};
  return {static_cast<unsigned char>(steps * 9), static_cast<unsigned char>(steps * 5), 128};
}

}  // namespace

int main() {
  std::vector<pixel> picture(width * height);
  const auto draw = [&](std::size_t i) { picture[i] = colour(steps_at(i % width, i / width)); };
  pilfer::parallel_for(std::size_t{0}, picture.size(), draw);

  const auto file =
      std::filesystem::temp_directory_path() / ("pilfer_" + std::to_string(std::random_device{}()) + ".ppm");
  std::ofstream out(file, std::ios::binary);
  out << "P6\n" << width << ' ' << height << "\n255\n";
  out.write(reinterpret_cast<const char*>(picture.data()),
            static_cast<std::streamsize>(picture.size() * sizeof(pixel)));
  out.close();
  const auto bytes = std::filesystem::file_size(file);
  std::filesystem::remove(file);
  const std::size_t black = pilfer::parallel_count_if(picture, [](const pixel& p) { return p.blue == 0; });
  std::printf("drew %zu x %zu pixels, %zu of them in the set, %ju bytes of PPM\n", width, height, black, bytes);
  const pixel& zero = picture[height / 2 * width + 200];
  return zero.blue == 0 && picture[0].blue != 0 && bytes == 15 + 3 * picture.size() ? 0 : 1;
}
