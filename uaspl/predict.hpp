// The front door to using models: load one, and ask it about rows. Needs uaspl::predict alone.
//
//   const uaspl::Predictor predictor(uaspl::load_model("churn.model"));
//   const uaspl::Prediction answer = predictor.predict_row({{"age", 42}, {"contract", "monthly"}});
//
// Errors are uaspl::Error, whose what() says where, what and what was expected.
#pragma once

#include "uaspl/base/error.hpp"
#include "uaspl/base/version.hpp"
#include "uaspl/model/evaluation.hpp"
#include "uaspl/model/model_file.hpp"
#include "uaspl/model/predictor.hpp"
