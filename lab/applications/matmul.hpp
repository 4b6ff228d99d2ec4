// C = A * B for square matrices of doubles, in tiles that fit into the first cache; a task per tile of C.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "lab/applications/application.hpp"
#include "lab/measure/xorshift.hpp"

namespace pilfer::lab::applications {

class matmul {
 public:
  static constexpr const char* name = "matmul";

  explicit matmul(effort how) : n_(sized<std::size_t>(how, 64, 256, 1024)), a_(n_ * n_), b_(n_ * n_), c_(n_ * n_) {
    xorshift random;
    // Small whole numbers: no sum is rounded, whatever its order.
    const auto number = [&] { return static_cast<double>(random.next() % 17) - 8; };
    for (double& x : a_) x = number();
    for (double& x : b_) x = number();
  }
  [[nodiscard]] std::string text() const { return fmt::format("product of two {0} x {0} matrices of doubles", n_); }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(n_); }
  void reset() { c_.assign(c_.size(), 0); }

  template <class S>
  void run() {
    const std::size_t tiles = n_ / tile;
    S::parallel_for(0, tiles * tiles, 1,
                    [this, tiles](std::size_t i) noexcept { multiply(i / tiles * tile, i % tiles * tile); });
  }

  // Freivalds: C x = A (B x) for some x; here of whole numbers, so exactly.
  void check(std::string_view who) const {
    xorshift random;
    std::vector<double> x(n_);
    for (double& one : x) one = static_cast<double>(random.next() % 1024);
    if (times(c_, x) != times(a_, times(b_, x))) wrong(who, name, "C x is not A (B x)");
  }

 private:
  static constexpr std::size_t tile = 32;

  // The tile of C that begins in this row and column.
  void multiply(std::size_t row, std::size_t column) noexcept {
    for (std::size_t k0 = 0; k0 < n_; k0 += tile) {
      for (std::size_t i = row; i < row + tile; ++i) {
        double* const c = c_.data() + i * n_ + column;
        for (std::size_t k = k0; k < k0 + tile; ++k) {
          const double a = a_[i * n_ + k];
          const double* const b = b_.data() + k * n_ + column;
          for (std::size_t j = 0; j < tile; ++j) c[j] += a * b[j];
        }
      }
    }
  }
  [[nodiscard]] std::vector<double> times(const std::vector<double>& matrix, const std::vector<double>& x) const {
    std::vector<double> y(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) y[i] += matrix[i * n_ + j] * x[j];
    }
    return y;
  }

  std::size_t n_;
  std::vector<double> a_;
  std::vector<double> b_;
  std::vector<double> c_;
};

}  // namespace pilfer::lab::applications
