// Lays out the parameters of the native network, see layout.hpp.
#include "uaspl/net/mlp/layout.hpp"

#include <algorithm>
#include <utility>

namespace uaspl {
namespace {

// Cuts a matrix into panels, from `offset` on.
std::vector<MlpPanel> panels_of(std::size_t layer, std::size_t rows, std::size_t columns,
                                std::size_t offset) {
  std::vector<MlpPanel> panels;
  for (std::size_t begin = 0; begin < columns; begin += MlpPanel::kWidth) {
    const Range range{begin, std::min(begin + MlpPanel::kWidth, columns)};
    const std::size_t stride = kernels::padded_width(range.size());
    panels.push_back({layer, range, offset, stride, rows * stride});
    offset += rows * stride;
  }
  return panels;
}

}  // namespace

std::size_t MlpLayer::index(std::size_t o, std::size_t i) const {
  if (output) return panels.front().offset + o * panels.front().stride + i;
  const MlpPanel& panel = panels[o / MlpPanel::kWidth];
  return panel.offset + i * panel.stride + o - panel.columns.begin;
}

MlpLayout::MlpLayout(const MlpShape& shape) {
  std::vector<std::size_t> widths = shape.hidden;
  widths.insert(widths.begin(), shape.inputs);
  widths.push_back(shape.classes);
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    MlpLayer layer{widths[l], widths[l + 1], l + 2 == widths.size(), {}, {}};
    if (layer.output) {
      const std::size_t stride = kernels::row_stride(layer.in);
      layer.panels = {{l, {0, layer.in + 1}, size_, stride, layer.out * stride}};
    } else {
      layer.panels = panels_of(l, layer.in + 1, layer.out, size_);
      if (l > 0) layer.transposed = panels_of(l, layer.out, layer.in, 0);
    }
    size_ = layer.panels.back().offset + layer.panels.back().size;
    layers_.push_back(std::move(layer));
  }
}

std::size_t MlpLayout::largest_panel() const {
  std::size_t largest = 0;
  for (const MlpLayer& layer : layers_)
    for (const MlpPanel& panel : layer.panels) largest = std::max(largest, panel.size);
  return largest;
}

void MlpLayout::transpose(MlpParameters& parameters) const {
  parameters.transposed.resize(layers_.size());
  for (const MlpLayer& layer : layers_) {
    if (layer.transposed.empty()) continue;
    const MlpPanel& last = layer.transposed.back();
    parameters.transposed[last.layer].resize(last.offset + last.size);
    for (const MlpPanel& panel : layer.panels) transpose(panel, parameters);
  }
}

void MlpLayout::transpose(const MlpPanel& panel, MlpParameters& parameters) const {
  for (const MlpPanel& to : layers_[panel.layer].transposed)
    kernels::transpose(
        &parameters.weights[panel.offset + to.columns.begin * panel.stride], to.columns.size(),
        panel.columns.size(), panel.stride,
        &parameters.transposed[panel.layer][to.offset + panel.columns.begin * to.stride],
        to.stride);
}

}  // namespace uaspl
