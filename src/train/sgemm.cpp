// Puts oneDNN behind torch's matrix products on CPUs. Debian's OpenBLAS 0.3.21 does not know recent
// server CPUs and then falls back to an SSE3 kernel, 4-5 times slower, without saying so; the
// choice is made in its constructor, before main. Defining sgemm_ in the executable (exported, see
// CMakeLists.txt) takes precedence over the BLAS library's.
#include <oneapi/dnnl/dnnl.h>

// NOLINTNEXTLINE(readability-identifier-naming): the name is BLAS's
extern "C" void sgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n,
                       const int* k, const float* alpha, const float* a, const int* lda,
                       const float* b, const int* ldb, const float* beta, float* c,
                       const int* ldc) {
  // BLAS is column-major, oneDNN row-major: the column-major product AB is the row-major B'A'.
  dnnl_sgemm(*transpose_b, *transpose_a, *n, *m, *k, *alpha, b, *ldb, a, *lda, *beta, c, *ldc);
}
