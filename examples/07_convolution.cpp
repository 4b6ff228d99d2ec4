// Blurs an image: a loop over a rectangle, in blocks that are as square as the cache likes them.
#include <array>
#include <cstdio>
#include <functional>
#include <vector>

#include <pilfer/pilfer.hpp>

namespace {

class image {
 public:
  image(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols), pixels_(rows * cols) {}
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t cols() const { return cols_; }
  float& at(std::size_t r, std::size_t c) { return pixels_[r * cols_ + c]; }
  [[nodiscard]] float at(std::size_t r, std::size_t c) const { return pixels_[r * cols_ + c]; }
  [[nodiscard]] const std::vector<float>& pixels() const { return pixels_; }

 private:
  std::size_t rows_, cols_;
  std::vector<float> pixels_;
};

using kernel = std::array<std::array<float, 3>, 3>;

// The border stays black.
image convolve(const image& in, const kernel& k) {
  image out(in.rows(), in.cols());
  const pilfer::blocked_range2d inner(1, in.rows() - 1, 1, in.cols() - 1, 8, 32);
  pilfer::parallel_for(inner, [&](const pilfer::blocked_range2d& block) {
    for (std::size_t r = block.rows().begin(); r != block.rows().end(); ++r) {
      for (std::size_t c = block.cols().begin(); c != block.cols().end(); ++c) {
        float sum = 0;
        for (std::size_t i = 0; i < 3; ++i) {
          for (std::size_t j = 0; j < 3; ++j) sum += k[i][j] * in.at(r + i - 1, c + j - 1);
        }
        out.at(r, c) = sum;
      }
    }
  });
  return out;
}

}  // namespace

int main() {
  image picture(600, 800);
  picture.at(300, 400) = 16;  // one bright point
  const kernel blur = {
      {{1 / 16.F, 2 / 16.F, 1 / 16.F}, {2 / 16.F, 4 / 16.F, 2 / 16.F}, {1 / 16.F, 2 / 16.F, 1 / 16.F}}};
  const image blurred = convolve(picture, blur);

  const double light = pilfer::parallel_reduce(blurred.pixels(), 0.0, std::plus<>{});
  std::printf("the point of 16 has become a spot: %g %g %g in its middle row, %g in all\n", blurred.at(300, 399),
              blurred.at(300, 400), blurred.at(300, 401), light);
  return blurred.at(300, 400) == 4 && blurred.at(299, 399) == 1 && light == 16 ? 0 : 1;
}
