// Vector kernels of the native network: products, GELU, output layer, optimiser; compiled for every
// instruction set of the processor family and chosen at run time. Rows of all operands begin on a
// cache line and are padded to whole vectors (padded_width).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace uaspl::kernels {

constexpr std::size_t kPad = 16;  // floats in a cache line, and in the widest vector

// Width of a row of n values, padded to whole vectors.
constexpr std::size_t padded_width(std::size_t n) { return (n + kPad - 1) / kPad * kPad; }

// The distance between rows that hold n values and then a constant 1: a whole number of cache
// lines, and an odd one, so that rows below each other do not share a cache set.
constexpr std::size_t row_stride(std::size_t n) {
  return padded_width(n + 1) + (padded_width(n + 1) / kPad % 2 == 0 ? kPad : 0);
}

// Entry (i, j) lies at data[i * row + j * col]: a matrix, or a transposed one.
struct Strided {
  const float* data;
  std::size_t row;
  std::size_t col;
};

enum class Into { kStore, kAdd, kScale };  // C = AB, C += AB, C = C * AB elementwise

struct Product {
  std::size_t rows;   // rows of A and C
  std::size_t cols;   // columns of B and C, a multiple of kPad
  std::size_t depth;  // columns of A, rows of B
  Strided a;
  const float* b;
  std::size_t b_stride;
  float* c;
  std::size_t c_stride;
  Into into;
};
// Every entry of AB is summed over the depth in ascending order, whatever the sizes, so that a
// row's result does not depend on the rows beside it.
void multiply(const Product& product);

// A block of rows, `stride` apart.
struct Rows {
  float* data;
  std::size_t rows;
  std::size_t cols;
  std::size_t stride;
};

// z becomes gelu(z) = z Phi(z); slope receives gelu'(z). Errors at most 2e-7 max(1, |z|) and 4e-7
// for |z| < 1e30.
void gelu(const Rows& z, float* slope);

// Scales kept entries of z and slope by 1/(1-rate) and zeroes the others; the choice for row i is a
// function of the seed and of first_row + i alone.
void dropout(const Rows& z, float* slope, float rate, std::uint64_t seed, std::size_t first_row);

// The output layer, narrower than a vector: weights w, one row a class, bias after the last weight.
struct Head {
  const float* w;
  std::size_t w_stride;
  std::size_t classes;
};
// Computes logits (rows x classes, contiguous) from the activations a, which hold a 1 after each
// row.
void head_forward(const Rows& a, const Head& head, float* logits);
// Sets slope to dz = (dlogits * w) * slope.
void head_backward(const Rows& slope, const Head& head, const float* dlogits);
// Sets grad (laid out as w) = or += dlogits^T * a; the constant 1 gives the bias.
void head_gradient(const Rows& a, const Head& head, const float* dlogits, float* grad, bool add);

struct Sgd {
  float rate;
  float momentum;
  float decay;
  bool first;  // the momentum buffer is empty: it takes the gradient as it is
};
// Takes one step as torch.optim.SGD does.
void sgd_step(std::span<float> weights, std::span<float> momentum, const float* gradient,
              const Sgd& sgd);

struct AdamW {
  float rate;          // over the correction of the mean for its beginning at 0
  float keep;          // of the mean of the gradients, beta 1
  float second_keep;   // of the mean of their squares, beta 2
  float shrink;        // what the decay leaves of a weight, 1 - rate * decay
  float root_correct;  // of the root of the squares' mean, for its beginning at 0
};
// Takes one step as torch.optim.AdamW does, with its epsilon of 1e-8.
void adamw_step(std::span<float> weights, std::span<float> mean, std::span<float> square,
                const float* gradient, const AdamW& adamw);

// Adds vectors, whose number is a power of two up to 32, as a tree: (a + b) + (c + d). The sum may
// be stored in one of them.
void add_as_tree(std::span<const float* const> from, std::span<float> sum);

// Sets out (cols x rows) = in^T; rows and cols need not be padded, the strides must.
void transpose(const float* in, std::size_t rows, std::size_t cols, std::size_t in_stride,
               float* out, std::size_t out_stride);

// The instruction set in use, e.g. "AVX2".
const char* target_name();

}  // namespace uaspl::kernels
