// Vectors of texts. Pairs that belong together are told from the other pairs of the batch (in-batch
// negatives: Henderson et al., arXiv 1705.00652), pairs with a score are put in the order of their
// scores (CoSENT: Su, kexue.fm/archives/8847). Both see the whole vector and prefixes of it
// (Matryoshka: Kusupati et al., arXiv 2205.13147).
#include "train/heads/row_outputs.h"

namespace headroom {
inline namespace train {
namespace {

constexpr double cosine_scale = 20;  // of cosines, as sentence-transformers has it

torch::Tensor unit_prefix(const torch::Tensor& vectors, int64_t width) {
  const torch::Tensor prefix = vectors.narrow(1, 0, width).to(torch::kFloat32);
  return prefix / prefix.norm(2, {1}, /*keepdim=*/true).clamp_min(1e-9);
}

// Each first text must find its second among those of the batch, and among the third ones.
torch::Tensor pair_loss(const std::vector<torch::Tensor>& texts) {
  std::vector<torch::Tensor> others(texts.begin() + 1, texts.end());
  const torch::Tensor cosines = texts[0].mm(torch::cat(others, 0).t()) * cosine_scale;
  const torch::Tensor right =
      torch::arange(texts[0].size(0), torch::TensorOptions(cosines.device()).dtype(torch::kInt64));
  return torch::cross_entropy_loss(cosines, right);
}

// log(1 + sum over pairs i scored above pairs j of exp(cosine_scale * (cosine_j - cosine_i))).
torch::Tensor order_loss(const std::vector<torch::Tensor>& texts, const torch::Tensor& scores) {
  const torch::Tensor cosines = (texts[0] * texts[1]).sum(1) * cosine_scale;
  const torch::Tensor differences = cosines.unsqueeze(0) - cosines.unsqueeze(1);  // (i, j): j - i
  const torch::Tensor wrong_way = scores.unsqueeze(1) <= scores.unsqueeze(0);
  const torch::Tensor counted =
      differences.masked_fill(wrong_way, -std::numeric_limits<float>::infinity()).flatten();
  return torch::logsumexp(torch::cat({torch::zeros({1}, counted.options()), counted}), 0);
}

class VectorObjective : public RowObjective {
 public:
  explicit VectorObjective(std::vector<int64_t> widths) : widths_(std::move(widths)) {}

  torch::Tensor loss(const torch::Tensor& outputs, const Batch& batch,
                     double /*label_smoothing*/) const override {
    torch::Tensor total;
    for (const int64_t width : widths_) {
      const std::vector<torch::Tensor> texts = unit_prefix(outputs, width).chunk(batch.texts, 0);
      const torch::Tensor one =
          batch.values.defined() ? order_loss(texts, batch.values.flatten()) : pair_loss(texts);
      total = total.defined() ? total + one : one;
    }
    return total / static_cast<double>(widths_.size());
  }

  // The same directions as the teacher's, so that vectors of one budget can be compared with those
  // of another. Cosines of random vectors are near 0: the scale makes it weigh as the loss does.
  torch::Tensor distillation(const torch::Tensor& student, const torch::Tensor& teacher,
                             const Batch& /*batch*/, double /*temperature*/) const override {
    torch::Tensor total;
    for (const int64_t width : widths_) {
      const torch::Tensor cosines =
          (unit_prefix(student, width) * unit_prefix(teacher.detach(), width)).sum(1);
      const torch::Tensor one = (1 - cosines).mean();
      total = total.defined() ? total + one : one;
    }
    return total * (cosine_scale / static_cast<double>(widths_.size()));
  }

 protected:
  torch::Tensor answers(const torch::Tensor& outputs) const override { return outputs; }
  Measured measure(const EncodedDataset& rows, const RowOutputs& outputs) const override {
    return measure_outputs(Task::embed, rows, outputs, {});
  }

 private:
  std::vector<int64_t> widths_;
};

}  // namespace

std::vector<int64_t> vector_widths(int64_t width) {
  std::vector<int64_t> widths = {width};
  for (const int64_t part : {2, 4}) {
    if (width / part > 0) widths.push_back(width / part);
  }
  return widths;
}

std::shared_ptr<const Objective> vector_objective(std::vector<int64_t> widths) {
  return std::make_shared<const VectorObjective>(std::move(widths));
}

}  // namespace train
}  // namespace headroom
