// The identity of a run, see run_key.hpp.
#include "uaspl/study/run_key.hpp"

#include <fmt/format.h>

#include "uaspl/method/suitable.hpp"

namespace uaspl {

RunKey run_key(const DatasetId& dataset, const ChosenMethod& method,
               const ExperimentOptions& options, std::uint32_t seed) {
  const ChosenMethod suited =
      options.fit.for_images() ? suited_to_images(method, dataset.name) : method;
  return {.dataset = dataset.name,
          .data_sha256 = dataset.content,
          .method = std::string(method.info->name),
          .configuration = configuration(suited, options),
          .seed = seed};
}

RunKey pretraining_key(const DatasetId& dataset, const ExperimentOptions& options,
                       std::uint32_t seed) {
  RunKey key = run_key(dataset, {&find_method("direct"), Settings({})}, options, seed);
  key.method = "pretraining";
  return key;
}

std::string run_text(const RunKey& key) {
  return fmt::format("{} {} {} seed {} results {}", key.data_sha256, key.method, key.configuration,
                     key.seed, key.results_version());
}

}  // namespace uaspl
