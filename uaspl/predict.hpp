// The front door for using models: loads a model and predicts rows. It needs only uaspl::predict.
//
//   const uaspl::Predictor predictor(uaspl::load_model("churn.model"));
//   const uaspl::Prediction answer = predictor.predict_row({{"age", 42}, {"contract", "monthly"}});
//
// Errors are uaspl::Error, whose what() says where the error is, what it is and what was expected.
#pragma once

#include "uaspl/base/error.hpp"
#include "uaspl/base/version.hpp"
#include "uaspl/model/evaluation.hpp"
#include "uaspl/model/model_file.hpp"
#include "uaspl/model/predictor.hpp"
