// The vector kernels against their definitions in double, over shapes that are not whole vectors.
#include "uaspl/net/mlp/kernels.hpp"

#include <cmath>

#include "tests/support.hpp"
#include "uaspl/base/aligned.hpp"

namespace uaspl::kernels {
namespace {

// A random matrix in the kernels' layout: padded rows, zeros in the padding.
struct Padded {
  std::size_t rows, cols, stride;
  AlignedVector<float> data;
  Padded(std::size_t r, std::size_t c, std::uint64_t seed)
      : rows(r), cols(c), stride(row_stride(c)) {
    data.assign(rows * stride, 0.0F);
    const Matrix m = uaspl::testing::random_matrix(r, c, seed);
    for (std::size_t i = 0; i < r; ++i)
      for (std::size_t j = 0; j < c; ++j) at(i, j) = m(i, j);
  }
  float& at(std::size_t i, std::size_t j) { return data[i * stride + j]; }
};

TEST(Kernels, ProductsEqualTheirDefinition) {
  for (const std::size_t rows : {1U, 5U, 6U, 7U, 97U}) {
    for (const std::size_t cols : {1U, 16U, 40U, 128U}) {
      for (const std::size_t depth : {1U, 3U, 129U}) {
        for (const bool transposed : {false, true}) {
          for (const Into into : {Into::kStore, Into::kAdd, Into::kScale}) {
            Padded a(transposed ? depth : rows, transposed ? rows : depth, 1);
            Padded b(depth, cols, 2);
            Padded c(rows, cols, 3);
            Padded before = c;
            const Strided left = transposed ? Strided{a.data.data(), 1, a.stride}
                                            : Strided{a.data.data(), a.stride, 1};
            multiply({rows, padded_width(cols), depth, left, b.data.data(), b.stride, c.data.data(),
                      c.stride, into});
            for (std::size_t i = 0; i < rows; ++i) {
              for (std::size_t j = 0; j < padded_width(cols); ++j) {
                double sum = 0.0;
                for (std::size_t k = 0; k < depth; ++k)
                  sum += double(transposed ? a.at(k, i) : a.at(i, k)) * double(b.at(k, j));
                if (into == Into::kAdd) sum += before.at(i, j);
                if (into == Into::kScale) sum *= before.at(i, j);
                ASSERT_NEAR(c.at(i, j), sum, 2e-5) << rows << " " << cols << " " << depth;
              }
            }
          }
        }
      }
    }
  }
}

TEST(Kernels, GeluIsExactToFloatPrecision) {
  constexpr std::size_t kCols = 160;
  Padded z(100, kCols, 1);
  for (std::size_t i = 0; i < z.rows * kCols; ++i)
    z.at(i / kCols, i % kCols) = static_cast<float>(static_cast<double>(i) / 16000.0 * 40.0 - 20.0);
  Padded before = z;
  AlignedVector<float> slope(z.data.size());
  gelu({z.data.data(), z.rows, kCols, z.stride}, slope.data());
  for (std::size_t i = 0; i < z.rows; ++i) {
    for (std::size_t j = 0; j < kCols; ++j) {
      const double x = before.at(i, j);
      const double phi = 0.5 * std::erfc(-x / std::sqrt(2.0));
      const double bell = std::exp(-x * x / 2) / std::sqrt(2 * 3.14159265358979323846);
      ASSERT_NEAR(z.at(i, j), x * phi, 2e-7 * std::max(1.0, std::abs(x))) << x;
      ASSERT_NEAR(slope[i * z.stride + j], phi + x * bell, 4e-7) << x;
    }
  }
}

TEST(Kernels, GeluPassesOnWhatIsNotANumber) {
  Padded z(1, 16, 1);
  z.at(0, 3) = std::nanf("");
  AlignedVector<float> slope(z.data.size());
  gelu({z.data.data(), 1, 16, z.stride}, slope.data());
  EXPECT_TRUE(std::isnan(z.at(0, 3)));
  EXPECT_TRUE(std::isfinite(z.at(0, 4)));
}

TEST(Kernels, HeadEqualsItsDefinition) {
  for (const std::size_t classes : {1U, 2U, 3U, 4U, 7U, 10U}) {
    for (const std::size_t width : {5U, 16U, 100U, 128U}) {
      constexpr std::size_t kRows = 11;
      Padded a(kRows, width, 1);
      for (std::size_t i = 0; i < kRows; ++i) a.at(i, width) = 1.0F;
      Padded w(classes, width + 1, 2);
      w.stride = row_stride(width);
      w.data.assign(classes * w.stride, 0.0F);
      const Matrix values = uaspl::testing::random_matrix(classes, width + 1, 3);
      for (std::size_t k = 0; k < classes; ++k)
        for (std::size_t j = 0; j <= width; ++j) w.at(k, j) = values(k, j);
      const Head head{w.data.data(), w.stride, classes};
      const Rows with_one{a.data.data(), kRows, padded_width(width + 1), a.stride};

      Matrix logits(kRows, classes);
      head_forward(with_one, head, logits.values().data());
      const Matrix d = uaspl::testing::random_matrix(kRows, classes, 4);
      Padded slope(kRows, width, 5);
      Padded before = slope;
      head_backward({slope.data.data(), kRows, padded_width(width), slope.stride}, head,
                    d.values().data());
      AlignedVector<float> gradient(w.data.size(), 0.5F);
      head_gradient(with_one, head, d.values().data(), gradient.data(), true);

      for (std::size_t i = 0; i < kRows; ++i) {
        for (std::size_t k = 0; k < classes; ++k) {
          double sum = 0.0;
          for (std::size_t j = 0; j <= width; ++j) sum += double(a.at(i, j)) * double(w.at(k, j));
          ASSERT_NEAR(logits(i, k), sum, 1e-5);
        }
        for (std::size_t j = 0; j < width; ++j) {
          double sum = 0.0;
          for (std::size_t k = 0; k < classes; ++k) sum += double(d(i, k)) * double(w.at(k, j));
          ASSERT_NEAR(slope.at(i, j), sum * before.at(i, j), 1e-5);
        }
      }
      for (std::size_t k = 0; k < classes; ++k) {
        for (std::size_t j = 0; j <= width; ++j) {
          double sum = 0.5;
          for (std::size_t i = 0; i < kRows; ++i) sum += double(d(i, k)) * double(a.at(i, j));
          ASSERT_NEAR(gradient[k * w.stride + j], sum, 1e-5);
        }
      }
    }
  }
}

TEST(Kernels, TransposeEqualsItsDefinition) {
  for (const std::size_t rows : {1U, 4U, 13U, 128U}) {
    for (const std::size_t cols : {1U, 3U, 8U, 130U}) {
      Padded in(rows, cols, 1);
      AlignedVector<float> out(cols * row_stride(rows));
      transpose(in.data.data(), rows, cols, in.stride, out.data(), row_stride(rows));
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < cols; ++j)
          ASSERT_EQ(out[j * row_stride(rows) + i], in.at(i, j));
    }
  }
}

// torch.optim.SGD(lr=0.1, momentum=0.9, weight_decay=0.01) on two parameters, two steps, by hand.
TEST(Kernels, SgdFollowsPyTorch) {
  AlignedVector<float> w(16, 0.0F), buffer(16), gradient(16, 0.0F);
  w[0] = 1.0F, w[1] = -2.0F;
  gradient[0] = 0.5F;
  sgd_step(w, buffer, gradient.data(), {0.1F, 0.9F, 0.01F, true});
  EXPECT_FLOAT_EQ(w[0], 1.0F - 0.1F * 0.51F);
  EXPECT_FLOAT_EQ(w[1], -2.0F + 0.1F * 0.02F);
  const float w0 = w[0];
  sgd_step(w, buffer, gradient.data(), {0.1F, 0.9F, 0.01F, false});
  EXPECT_FLOAT_EQ(w[0], w0 - 0.1F * (0.9F * 0.51F + 0.5F + 0.01F * w0));
}

TEST(Kernels, DropoutKeepsTheMeanAndDependsOnSeedAndRowAlone) {
  constexpr std::size_t kRows = 200;
  constexpr std::size_t kCols = 128;
  const auto drop = [](std::uint64_t seed, std::size_t first, std::size_t rows) {
    AlignedVector<float> z(rows * kCols, 1.0F);
    AlignedVector<float> slope(rows * kCols, 2.0F);
    dropout({z.data(), rows, kCols, kCols}, slope.data(), 0.2F, seed, first);
    for (std::size_t i = 0; i < z.size(); ++i) EXPECT_EQ(slope[i], 2.0F * z[i]);
    return z;
  };
  const auto all = drop(5, 0, kRows);
  const double kept =
      static_cast<double>(std::count(all.begin(), all.end(), 1.25F)) / (kRows * kCols);
  const double dropped =
      static_cast<double>(std::count(all.begin(), all.end(), 0.0F)) / (kRows * kCols);
  EXPECT_DOUBLE_EQ(kept + dropped, 1.0);
  EXPECT_NEAR(dropped, 0.2, 0.01);
  const auto tail = drop(5, 96, kRows - 96);
  EXPECT_TRUE(std::equal(tail.begin(), tail.end(), all.begin() + 96 * kCols));
  EXPECT_NE(drop(6, 0, kRows), all);
}

}  // namespace
}  // namespace uaspl::kernels
