// Model files: the same predictions after saving, files of this version, hostile files.
#include "uaspl/model/model_file.hpp"

#include <cmath>
#include <cstring>
#include <fstream>

#include "tests/models.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/io/safetensors.hpp"
#include "uaspl/model/predictor.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;

using testing::small_model;
using testing::small_set;

std::string error_of(const std::string& bytes) {
  try {
    read_model(bytes, "m");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Model, PredictsTheSameAfterSavingAndLoading) {
  for (const std::string method : {"uaspl", "spl"}) {
    const Model model = small_model(method);
    const fs::path file = fs::temp_directory_path() / ("uaspl_model_" + std::to_string(::getpid()));
    save_model(model, file);
    const Model loaded = load_model(file);
    fs::remove(file);
    EXPECT_EQ(write_model(loaded), write_model(model));
    const Dataset data = small_set();
    const Predictions a = Predictor(model).predict(data.table().features);
    const Predictions b = Predictor(loaded).predict(data.table().features);
    EXPECT_EQ(a.labels, b.labels);
    EXPECT_TRUE(std::ranges::equal(a.probabilities.values(), b.probabilities.values()));
    EXPECT_EQ(a.vacuity, b.vacuity);
    EXPECT_EQ(a.vacuity.empty(), method == "spl");
    EXPECT_EQ(score(data.labels, a.labels).accuracy, 1.0);
  }
}

// Many rows go block by block.
TEST(Model, ARowIsPredictedTheSameAmongManyOthers) {
  const Model model = small_model();
  const Dataset data = small_set();
  DoubleMatrix many(9000, data.table().features.cols());
  for (std::size_t i = 0; i < many.rows(); ++i) {
    std::ranges::copy(data.table().features.row(i % data.rows()), many.row(i).begin());
    many(i, 0) += 1e-4 * static_cast<double>(i);
  }
  const Predictor predictor(model);
  const Predictions all = predictor.predict(many);
  ASSERT_EQ(all.labels.size(), many.rows());
  for (const int row : {0, 4095, 4096, 8191, 8192, 8999}) {
    const Predictions one = predictor.predict(many, std::vector<int>{row});
    const auto i = static_cast<std::size_t>(row);
    EXPECT_EQ(one.labels.at(0), all.labels[i]) << row;
    EXPECT_EQ(one.vacuity.at(0), all.vacuity[i]) << row;
    EXPECT_EQ(one.entropy.at(0), all.entropy[i]) << row;
    EXPECT_TRUE(std::ranges::equal(one.probabilities.row(0), all.probabilities.row(i))) << row;
  }
  EXPECT_TRUE(predictor.predict(many, std::vector<int>{}).labels.empty());
}

TEST(Model, PredictionsAreProbabilitiesWithTheirEntropy) {
  for (const std::string method : {"uaspl", "spl"}) {
    const Predictions p = Predictor(small_model(method)).predict(small_set().table().features);
    for (std::size_t i = 0; i < p.labels.size(); ++i) {
      const double a = p.probabilities(i, 0);
      const double b = p.probabilities(i, 1);
      EXPECT_NEAR(a + b, 1.0, 1e-6);
      EXPECT_NEAR(p.entropy[i], -a * std::log(a) - b * std::log(b), 1e-5);
      if (p.vacuity.empty()) continue;
      // alpha >= 1: no class has a smaller share than one count of the strength K/u.
      EXPECT_GE(std::min(a, b), p.vacuity[i] / 2 - 1e-6);
    }
  }
}

// Each file has the lowest format that tells it.
TEST(Model, SeveralMembersAreWrittenReadAndPredicted) {
  const auto described = [](const Model& model) {
    const TensorFile file = read_safetensors(write_model(model), "m");
    return nlohmann::json::parse(file.metadata.at("uaspl"));
  };
  EXPECT_EQ(described(small_model())["format"], 1);
  EXPECT_FALSE(described(small_model()).contains("members"));
  const Dataset data = small_set();
  for (const std::string method : {"uaspl", "spl"}) {
    const Model model = testing::two_member_model(method);
    EXPECT_EQ(described(model)["format"], 3);
    EXPECT_EQ(described(model)["networks"], 2);
    const Model read = read_model(write_model(model), "m");
    EXPECT_EQ(write_model(read), write_model(model));
    ASSERT_EQ(read.members.size(), 2U);
    EXPECT_EQ(read.members[0].network, model.members[0].network);
    EXPECT_EQ(read.members[1].network.hidden, std::vector<std::size_t>{9});
    EXPECT_EQ(read.members[1].weights.at("fc1.weight").values,
              model.members[1].weights.at("fc1.weight").values);
    const Predictions a = Predictor(model).predict(data.table().features);
    const Predictions b = Predictor(read).predict(data.table().features);
    EXPECT_EQ(a.labels, b.labels);
    EXPECT_TRUE(std::ranges::equal(a.probabilities.values(), b.probabilities.values()));
    // They are the mean of what the members say alone.
    Model one = model;
    one.members.pop_back();
    Model other = model;
    other.members.erase(other.members.begin());
    const Predictions first = Predictor(one).predict(data.table().features);
    const Predictions second = Predictor(other).predict(data.table().features);
    const auto& whole = method == "uaspl" ? a.evidence : a.probabilities;
    const auto& left = method == "uaspl" ? first.evidence : first.probabilities;
    const auto& right = method == "uaspl" ? second.evidence : second.probabilities;
    ASSERT_FALSE(std::ranges::equal(left.values(), right.values()));
    for (std::size_t i = 0; i < whole.values().size(); ++i)
      EXPECT_NEAR(whole.values()[i], (left.values()[i] + right.values()[i]) / 2, 1e-5);
  }
}

TEST(Model, ThePriorOfTheEvidenceIsKept) {
  Model model = small_model();
  model.readout.prior = 0.1;
  const std::string bytes = write_model(model);
  TensorFile file = read_safetensors(bytes, "m");
  nlohmann::json about = nlohmann::json::parse(file.metadata.at("uaspl"));
  EXPECT_EQ(about["format"], 4);
  EXPECT_EQ(read_model(bytes, "m").readout.prior, 0.1);
  for (const double impossible : {0.0, -1.0, 1e300}) {
    about["prior"] = impossible;
    file.metadata["uaspl"] = about.dump();
    EXPECT_EQ(error_of(write_safetensors(file)),
              "m: not a valid model file: an impossible prior of the evidence");
  }
}

TEST(Model, DescriptionsOfMembersMustFitTheFile) {
  const auto altered = [](const std::string& from, const std::string& to) {
    TensorFile file = read_safetensors(write_model(testing::two_member_model()), "m");
    std::string& about = file.metadata["uaspl"];
    const std::size_t place = about.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    about.replace(place, from.size(), to);
    return error_of(write_safetensors(file));
  };
  const std::string invalid = "m: not a valid model file: ";
  EXPECT_EQ(altered("\"networks\":2", "\"networks\":3"),
            invalid + "another number of members than of networks");
  EXPECT_EQ(altered("\"networks\":2", "\"networks\":0"),
            invalid + "an impossible number of networks");
  EXPECT_EQ(altered("{\"hidden\":[9]", "{\"hidden\":[8]"),
            invalid + "tensor network1.fc1.weight has another type or shape");
  EXPECT_EQ(altered("{\"hidden\":[9]", "{\"hidden\":[]"),
            invalid + "a network that is none for tables, or has no hidden layer");
  EXPECT_EQ(altered("\"members\":", "\"others\":"), invalid + "no 'members'");
}

// Files of tables that were written in each format; later versions must read them and predict the
// same.
TEST(Model, ReadsTheFilesOfEveryFormat) {
  for (const std::string name :
       {"evidential.v1", "softmax.v1", "prior.v4", "columns.v5", "decision.v6"}) {
    const fs::path folder = testing::reference_folder() / "models";
    const Model model = load_model(folder / (name + ".model"));
    const Dataset data =
        load_by_schema(folder / "rows.csv", model.table().schema, model.target, {});
    const Predictions p = Predictor(model).predict(data.table().features);
    const auto expected = testing::reference("models/" + name + ".json");
    ASSERT_EQ(p.labels, expected["labels"].get<std::vector<int>>());
    for (std::size_t i = 0; i < data.rows(); ++i)
      for (std::size_t k = 0; k < model.target.classes.size(); ++k)
        EXPECT_NEAR(p.probabilities(i, k), double(expected["probabilities"][i][k]), 1e-5);
  }
}

// A safetensors file with any header.
std::string with_header(const std::string& header, const std::string& data = "") {
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

TEST(Model, EveryTruncationIsAnError) {
  const std::string bytes = write_model(small_model());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_TRUE(error_of(bytes.substr(0, size)).starts_with("m: not a valid model file")) << size;
  EXPECT_EQ(error_of(bytes + "x"), "m: not a valid model file: bytes follow its last tensor");
}

TEST(Model, AlteredFilesAreErrorsOrModels) {
  const std::string bytes = write_model(small_model());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const char other : {'\0', '"', '9', '\xff'}) {
      std::string altered = bytes;
      altered[i] = other;
      error_of(altered);  // no crash; what is wrong with it is another test's matter
    }
  }
}

TEST(Model, HostileHeadersAreRefused) {
  const auto error = [](const std::string& header, const std::string& data = "") {
    const std::string message = error_of(with_header(header, data));
    return message.substr(
        std::min(message.size(), std::string("m: not a valid model file: ").size()));
  };
  const std::string tensor = R"("dtype":"F32","shape":[1],"data_offsets")";
  EXPECT_EQ(error("[]"), "its header is not an object");
  EXPECT_EQ(error("{"),
            "its header: not JSON: syntax error while parsing object key - unexpected end of "
            "input; expected string literal "
            "(line 1, byte 1)");
  EXPECT_EQ(error(R"({"a":1,"a":2})"), "its header: the key 'a' comes twice (line 1, byte 10)");
  EXPECT_EQ(error(R"({"a":)" + std::string(5000, '[') + std::string(5000, ']') + "}"),
            "its header: nested too deeply (line 1, byte 37)");
  EXPECT_EQ(error("{\"a\":{" + tensor + ":[0,8]}}", "12345678"),
            "tensor 'a' has offsets that do not fit its shape");
  EXPECT_EQ(error("{\"a\":{" + tensor + ":[0,4]}}", "123"), "tensor 'a' lies outside of the file");
  EXPECT_EQ(error("{\"a\":{" + tensor + ":[4,0]}}", "12345678"),
            "tensor 'a' lies outside of the file");
  EXPECT_EQ(error("{\"a\":{" + tensor + ":[0,4]},\"b\":{" + tensor + ":[0,4]}}", "1234"),
            "its tensors overlap or leave holes");
  EXPECT_EQ(error("{\"a\":{" + tensor + ":[4,8]}}", "12345678"),
            "its tensors overlap or leave holes");
  EXPECT_EQ(error(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})"),
            "tensor 'a' has an impossible shape");
  EXPECT_EQ(error(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", "1234"),
            "a size is not a whole number");
  EXPECT_EQ(error(R"({"__metadata__":{"uaspl":1}})"), "its metadata is not of strings");
  std::string huge(16, '\xff');
  EXPECT_EQ(error_of(huge), "m: not a valid model file: its header does not fit");
}

TEST(Model, OtherAndNewerFilesSaySo) {
  EXPECT_EQ(error_of(with_header("{}")), "m: a safetensors file, but not a uaspl model");
  EXPECT_EQ(error_of(with_header(R"({"__metadata__":{"uaspl":"{\"format\":8}"}})")),
            "m: the model has format 8, this program reads up to 7; use a newer uaspl");
  EXPECT_EQ(error_of(with_header(R"({"__metadata__":{"uaspl":"{\"format\":1}"}})")),
            "m: not a valid model file: no 'version'");
}

// Descriptions that no program of ours has written.
TEST(Model, RefusesImpossibleDescriptions) {
  using nlohmann::json;
  const std::string bytes = write_model(testing::small_model());
  const auto altered = [&](const std::function<void(json&, TensorFile&)>& change) {
    TensorFile file = read_safetensors(bytes, "m");
    json about = json::parse(file.metadata.at("uaspl"));
    change(about, file);
    file.metadata["uaspl"] = about.dump();
    return error_of(write_safetensors(file));
  };
  EXPECT_EQ(altered([](json&, TensorFile&) {}), "no error");
  const auto with_format = [&](const json& format) {
    return altered([&](json& about, TensorFile&) { about["format"] = format; });
  };
  EXPECT_NE(with_format(18446744073709551615U).find("use a newer uaspl"), std::string::npos);
  EXPECT_NE(with_format(-5).find("not a valid model file"), std::string::npos);
  EXPECT_NE(with_format(0).find("not a valid model file"), std::string::npos);
  const std::string no_columns = altered([](json& about, TensorFile& file) {
    about["schema"]["features"] = json::array();
    file.tensors["scaler.mean"] = {{0}, std::vector<double>()};
    file.tensors["scaler.scale"] = {{0}, std::vector<double>()};
    file.tensors["network0.fc1.weight"] = {{6, 0}, std::vector<float>()};
  });
  EXPECT_NE(no_columns.find("no input column"), std::string::npos) << no_columns;
  EXPECT_NE(altered([](json&, TensorFile& file) {
              file.tensors["network7.evil"] = {{1}, std::vector<float>(1)};
            }).find("no weight of a network"),
            std::string::npos);
  EXPECT_NE(altered([](json& about, TensorFile&) {
              about["networks"] = 2;
            }).find("not a valid model file"),
            std::string::npos);
}

TEST(Model, WithoutANetworkItIsNeitherWrittenNorUsed) {
  EXPECT_THROW(write_model(Model()), Error);
  EXPECT_THROW(Predictor(Model{}), Error);
}

TEST(Model, RefusesWeightsThatDoNotFitItsDescription) {
  Model model = small_model();
  model.members[0].weights.at("fc2.bias").shape = {1, 5};
  EXPECT_EQ(error_of(write_model(model)),
            "m: not a valid model file: tensor network0.fc2.bias has another type or shape");
}

std::string refused_to_write(const Model& model) {
  try {
    write_model(model);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Model, WhatCannotBeReadIsNotWritten) {
  const float huge = std::numeric_limits<float>::infinity();
  for (const float bad : {huge, -huge, std::nanf("")}) {
    Model model = small_model();
    model.members[0].weights.at("fc2.bias").values[1] = bad;
    EXPECT_EQ(refused_to_write(model),
              "the model cannot be written: weights that are not finite (fc2.bias); if training "
              "diverged, a lower learning rate may help");
  }
  for (const double bad : {0.0, -1.0, 1e300, std::nan("")}) {
    Model model = small_model();
    std::get<TableEncoder>(model.encoder).scaler.scale[0] = bad;
    EXPECT_NE(refused_to_write(model).find("a scale"), std::string::npos);
  }
  Model model = small_model();
  std::get<TableEncoder>(model.encoder).scaler.mean[0] = -1e39;
  EXPECT_NE(refused_to_write(model).find("mean beyond"), std::string::npos);
  model = small_model();
  model.target.classes[1] = model.target.classes[0];
  EXPECT_NE(refused_to_write(model).find("the class 'no' comes twice"), std::string::npos);
}

// As above, in files that some other program wrote.
TEST(Model, RefusesNumbersAndNamesThatNoTrainingGives) {
  const std::string good = write_model(small_model());
  const auto altered = [&](const std::string& from, const std::string& to) {
    TensorFile file = read_safetensors(good, "m");
    std::string& about = file.metadata.at("uaspl");
    const std::size_t at = about.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    about.replace(at, from.size(), to);
    return error_of(write_safetensors(file));
  };
  const auto expect_error = [&](const std::string& from, const std::string& to,
                                const std::string& expected) {
    const std::string error = altered(from, to);
    EXPECT_NE(error.find(expected), std::string::npos) << to << ": " << error;
  };
  EXPECT_EQ(altered("\"rows\":40", "\"rows\":41"), "no error");
  expect_error("\"rows\":40", "\"rows\":1e300", "'rows' is 1e+300, expected a whole number");
  expect_error("\"rows\":40", "\"rows\":-1", "'rows' is -1");
  expect_error("\"rows\":40", "\"rows\":1.5", "'rows' is 1.5");
  expect_error("\"rows\":40", "\"rows\":1,\"rows\":2", "the key 'rows' comes twice");
  expect_error("\"seed\":2025", "\"seed\":4294967296", "'seed' is 4294967296");
  expect_error("\"seed\":2025", "\"seed\":\"x\"", "'seed' is \"x\"");
  expect_error("\"hidden\":[6,5]", "\"hidden\":[6,-5]", "'hidden' is -5");
  expect_error("\"hidden\":[6,5]", "\"hidden\":6", "'hidden' is 6");
  expect_error("\"networks\":1", "\"networks\":1e9", "'networks' is");
  expect_error("\"classes\":[\"no\",\"yes\"]", "\"classes\":[\"no\",\"no\"]", "'no' comes twice");
  expect_error("\"name\":\"colour\"", "\"name\":\"size\"", "the column 'size' comes twice");
  expect_error("[\"blue\",\"red\"]", "[\"red\",\"red\"]", "the category 'red' comes twice");
  std::string many = "\"classes\":[\"0\"";
  for (int k = 1; k <= 10000; ++k) many += ",\"" + std::to_string(k) + "\"";
  expect_error("\"classes\":[\"no\",\"yes\"]", many + "]", "10001 classes, at most 10000");
  TensorFile file = read_safetensors(good, "m");
  std::get<std::vector<float>>(file.tensors.at("network0.fc1.bias").values)[0] = std::nanf("");
  EXPECT_NE(error_of(write_safetensors(file)).find("not finite (fc1.bias)"), std::string::npos);
}

// A small file must not make its reader ask for the memory of a large network.
TEST(Model, FewWeightsForLargeImagesAreRefused) {
  Model model = small_model();
  model.encoder = ImageEncoder{{1, 1024, 1024}, {{0.5F}, {0.5F}}};
  model.members = {{{"lenet", {}}, {{"fc3.bias", {{2}, {0.0F, 0.0F}}}}}};
  EXPECT_NE(refused_to_write(model).find("2 weights, and a lenet of this shape has"),
            std::string::npos);
}

}  // namespace
}  // namespace uaspl
