// Makes networks, see make_network.hpp.
#include "uaspl/net/make_network.hpp"

#include "uaspl/base/error.hpp"
#include "uaspl/base/threads.hpp"
#include "uaspl/net/image_network.hpp"
#include "uaspl/net/mlp/mlp.hpp"

namespace uaspl {

std::unique_ptr<Network> make_network(const NetworkKind& kind, const Encoder& encoder,
                                      std::size_t classes, std::uint32_t seed,
                                      const Resources& resources, std::size_t step_rows,
                                      std::size_t inputs) {
  const std::size_t rows = std::holds_alternative<ImageEncoder>(encoder) ? kManyRows : step_rows;
  const std::size_t threads = resources.threads > 0 ? resources.threads : usual_threads(rows);
  if (const auto* table = std::get_if<TableEncoder>(&encoder)) {
    if (kind.name != "mlp") throw Error("network " + kind.name + " is for images, not for tables");
    return std::make_unique<Mlp>(
        MlpShape{inputs > 0 ? inputs : table->width(), kind.hidden, classes}, seed,
        workers_for(step_rows, threads));
  }
  if (kind.name == "mlp") throw Error("network mlp is for tables, not for images");
  return make_image_network({.network = kind.name,
                             .shape = std::get<ImageEncoder>(encoder).shape,
                             .classes = classes,
                             .seed = seed,
                             .threads = threads,
                             .device = resources.device,
                             .group = resources.group});
}

}  // namespace uaspl
