// Any bytes as a model file: a model that predicts and can be written again, or an error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "uaspl/base/error.hpp"
#include "uaspl/model/model_file.hpp"
#include "uaspl/model/predictor.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    const uaspl::Model model =
        uaspl::read_model({reinterpret_cast<const char*>(bytes), size}, "fuzz");
    if (!model.is_of_images()) {
      const uaspl::DoubleMatrix features(2, model.table().width());
      if (uaspl::Predictor(model).predict(features).labels.size() != 2) std::abort();
    }
    const std::string written = uaspl::write_model(model);
    if (uaspl::write_model(uaspl::read_model(written, "again")) != written) std::abort();
  } catch (const uaspl::Error&) {
  }
  return 0;
}
