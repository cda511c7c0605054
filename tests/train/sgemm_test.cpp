// torch's matrix products, which reach BLAS through our sgemm_ (src/train/sgemm.cpp), against three
// plain loops.
#include <gtest/gtest.h>

#include "base/random.h"
#include "model/torch.h"
#include "train/tiny.h"

namespace headroom {
namespace {

torch::Tensor random_matrix(int64_t rows, int64_t columns, Random& random) {
  torch::Tensor matrix = torch::empty({rows, columns});
  float* values = matrix.data_ptr<float>();
  for (int64_t i = 0; i < matrix.numel(); ++i) values[i] = static_cast<float>(random.normal());
  return matrix;
}

torch::Tensor plain_product(const torch::Tensor& a, const torch::Tensor& b) {
  torch::Tensor product = torch::zeros({a.size(0), b.size(1)});
  const auto x = a.accessor<float, 2>();
  const auto y = b.accessor<float, 2>();
  auto out = product.accessor<float, 2>();
  for (int64_t i = 0; i < a.size(0); ++i) {
    for (int64_t j = 0; j < b.size(1); ++j) {
      double sum = 0;
      for (int64_t k = 0; k < a.size(1); ++k) sum += static_cast<double>(x[i][k]) * y[k][j];
      out[i][j] = static_cast<float>(sum);
    }
  }
  return product;
}

// A matrix of the given size that is stored transposed when asked.
torch::Tensor stored(int64_t rows, int64_t columns, bool transposed, Random& random) {
  return transposed ? random_matrix(columns, rows, random).t()
                    : random_matrix(rows, columns, random);
}

class Transposes : public ::testing::TestWithParam<std::tuple<bool, bool>> {};

INSTANTIATE_TEST_SUITE_P(Sgemm, Transposes,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool()));

TEST_P(Transposes, ProductsEqualThreePlainLoops) {
  const auto [left, right] = GetParam();
  Random random{1};
  for (const auto& [m, k, n] : std::vector<std::tuple<int64_t, int64_t, int64_t>>{{1, 1, 1},
                                                                                  {1, 7, 1},
                                                                                  {3, 1, 5},
                                                                                  {2, 3, 4},
                                                                                  {17, 31, 13},
                                                                                  {33, 65, 129},
                                                                                  {64, 128, 32}}) {
    const torch::Tensor a = stored(m, k, left, random);
    const torch::Tensor b = stored(k, n, right, random);
    EXPECT_LE(testing::largest_difference(torch::matmul(a, b), plain_product(a, b)), 1e-4)
        << m << " x " << k << " x " << n;
  }
}

TEST_P(Transposes, AddedProductsEqualThreePlainLoops) {
  const auto [left, right] = GetParam();
  Random random{2};
  const torch::Tensor a = stored(19, 23, left, random);
  const torch::Tensor b = stored(23, 11, right, random);
  const torch::Tensor c = random_matrix(19, 11, random);
  const torch::Tensor expected = 0.5 * c + 2.0 * plain_product(a, b);
  EXPECT_LE(testing::largest_difference(torch::addmm(c, a, b, 0.5, 2.0), expected), 1e-4);
}

TEST_P(Transposes, BatchedProductsEqualThreePlainLoops) {
  const auto [left, right] = GetParam();
  Random random{3};
  std::vector<torch::Tensor> as;
  std::vector<torch::Tensor> bs;
  std::vector<torch::Tensor> expected;
  for (int i = 0; i < 6; ++i) {
    as.push_back(random_matrix(left ? 9 : 13, left ? 13 : 9, random));
    bs.push_back(random_matrix(right ? 15 : 9, right ? 9 : 15, random));
    expected.push_back(
        plain_product(left ? as.back().t() : as.back(), right ? bs.back().t() : bs.back()));
  }
  const torch::Tensor a = left ? torch::stack(as).transpose(1, 2) : torch::stack(as);
  const torch::Tensor b = right ? torch::stack(bs).transpose(1, 2) : torch::stack(bs);
  EXPECT_LE(testing::largest_difference(torch::matmul(a, b), torch::stack(expected)), 1e-4);
}

TEST(Sgemm, ColumnSlicesAreReadWithTheirStride) {
  Random random{4};
  const torch::Tensor a = random_matrix(9, 40, random).narrow(1, 3, 17);
  const torch::Tensor b = random_matrix(17, 50, random).narrow(1, 5, 21);
  EXPECT_LE(testing::largest_difference(torch::matmul(a, b), plain_product(a, b)), 1e-4);
}

}  // namespace
}  // namespace headroom
