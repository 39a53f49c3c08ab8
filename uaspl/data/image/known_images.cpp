// The paper's four image data sets: one entry each.
#include "uaspl/data/image/known_images.hpp"

#include <algorithm>

namespace uaspl {
namespace {

std::vector<std::string> digits() { return {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}; }

KnownImages mnist() {
  return {.name = "mnist",
          .title = "MNIST, handwritten digits",
          .shape = {1, 28, 28},
          .train = 60000,
          .test = 10000,
          .classes = digits(),
          .format = ImageFormat::kIdx,
          .files = {{"train-images-idx3-ubyte.gz", "f68b3c2dcbeaaa9fbdd348bbdeb94873", 9'912'422,
                     "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
                    {"train-labels-idx1-ubyte.gz", "d53e105ee54ea40749a09fcbcd1e9432", 28'881,
                     "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
                    {"t10k-images-idx3-ubyte.gz", "9fb629c4189551a2d022fa330f9573f3", 1'648'877,
                     "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
                    {"t10k-labels-idx1-ubyte.gz", "ec29112dd5afa0611ce80d1b7f02629c", 4'542,
                     "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"}},
          .sources = {"https://storage.googleapis.com/cvdf-datasets/mnist",
                      "https://ossci-datasets.s3.amazonaws.com/mnist"},
          .licence = "CC BY-SA 3.0 (as usually given)",
          .citation =
              "Y. LeCun, L. Bottou, Y. Bengio, P. Haffner, Gradient-Based Learning Applied "
              "to Document Recognition, Proceedings of the IEEE 86(11), 1998",
          .transform = {.mean = {0.1307F}, .deviation = {0.3081F}}};
}

KnownImages fashion_mnist() {
  return {.name = "fashion_mnist",
          .title = "Fashion-MNIST, articles of clothing",
          .shape = {1, 28, 28},
          .train = 60000,
          .test = 10000,
          .classes = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt",
                      "Sneaker", "Bag", "Ankle boot"},
          .format = ImageFormat::kIdx,
          .files = {{"train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d", 27'000'000},
                    {"train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe", 29'515,
                     "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"},
                    {"t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79", 4'500'000},
                    {"t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310", 5'148,
                     "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"}},
          .sources = {"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com",
                      "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/"
                      "data/fashion"},
          .licence = "MIT, copyright 2017 Zalando SE",
          .citation =
              "H. Xiao, K. Rasul, R. Vollgraf, Fashion-MNIST: a Novel Image Dataset for "
              "Benchmarking Machine Learning Algorithms, arXiv:1708.07747, 2017",
          .transform = {.mean = {0.5F}, .deviation = {0.5F}, .pad = 4, .mirror = true}};
}

KnownImages cifar10() {
  return {.name = "cifar10",
          .title = "CIFAR-10, small photographs",
          .shape = {3, 32, 32},
          .train = 50000,
          .test = 10000,
          .classes = {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse",
                      "ship", "truck"},
          .format = ImageFormat::kCifar,
          .files = {{"cifar-10-binary.tar.gz", "c32a1d4ab5d03f1284b67883e8d87530", 171'000'000}},
          .sources = {"https://www.cs.toronto.edu/~kriz",
                      "https://storage.googleapis.com/s4tf-hosted-binaries/datasets/CIFAR10"},
          .licence = "none stated; its page asks to be cited",
          .citation = "A. Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009",
          .transform = {.mean = {125.3F / 255.0F, 123.0F / 255.0F, 113.9F / 255.0F},
                        .deviation = {63.0F / 255.0F, 62.1F / 255.0F, 66.7F / 255.0F},
                        .pad = 4,
                        .padding = Padding::kReflect,
                        .mirror = true}};
}

KnownImages svhn() {
  return {.name = "svhn",
          .title = "SVHN, house numbers, cropped digits",
          .shape = {3, 32, 32},
          .train = 73257,
          .test = 26032,
          .classes = digits(),
          .format = ImageFormat::kSvhn,
          .files = {{"train_32x32.mat", "e26dedcc434d2e4c54c9b2d4a06d8373", 183'000'000},
                    {"test_32x32.mat", "eb5a983be6a315427106f1b164d9cef3", 65'000'000}},
          .sources = {"http://ufldl.stanford.edu/housenumbers"},
          .licence = "non-commercial use only",
          .citation =
              "Y. Netzer, T. Wang, A. Coates, A. Bissacco, B. Wu, A. Y. Ng, Reading Digits "
              "in Natural Images with Unsupervised Feature Learning, NIPS workshop, 2011",
          .transform = {.mean = {0.4310F, 0.4302F, 0.4463F},
                        .deviation = {0.1965F, 0.1984F, 0.1992F},
                        .pad = 4,
                        .mirror = true}};
}

struct Unpacked {
  std::string_view set;
  std::string_view file;
  std::string_view md5;
};
constexpr Unpacked kUnpacked[] = {
    {"mnist", "train-images-idx3-ubyte", "6bbc9ace898e44ae57da46a324031adb"},
    {"mnist", "train-labels-idx1-ubyte", "a25bea736e30d166cdddb491f175f624"},
    {"mnist", "t10k-images-idx3-ubyte", "2646ac647ad5339dbf082846283269ea"},
    {"mnist", "t10k-labels-idx1-ubyte", "27ae3e4e09519cfbb04c329615203637"},
    {"fashion_mnist", "train-labels-idx1-ubyte", "9018921c3c673c538a1fc5bad174d6f9"},
    {"fashion_mnist", "t10k-labels-idx1-ubyte", "15d484375f8d13e6eb1aabb0c3f46965"},
    {"cifar10", "data_batch_1.bin", "5dd7e06a14cb22eb9f671a540d1b7c25"},
    {"cifar10", "data_batch_2.bin", "5ea93a67294ea407fff1d09f752e9692"},
    {"cifar10", "data_batch_3.bin", "942cd6a4bcdd0dd3c604fbe906cb4421"},
    {"cifar10", "data_batch_4.bin", "ae636b3ba5c66a11e91e8cb52e771fcb"},
    {"cifar10", "data_batch_5.bin", "53f37980c15c3d472c316c40844f3f0d"},
    {"cifar10", "test_batch.bin", "803d5f7f4d78ea53de84dbe85f74fb6d"},
};

}  // namespace

std::span<const KnownImages> known_images() {
  static const std::vector<KnownImages> kSets = {mnist(), fashion_mnist(), cifar10(), svhn()};
  return kSets;
}

const KnownImages* find_known_images(std::string_view name) {
  const auto sets = known_images();
  const auto found = std::ranges::find(sets, name, &KnownImages::name);
  return found == sets.end() ? nullptr : &*found;
}

std::string_view unpacked_md5(std::string_view set, std::string_view file) {
  for (const Unpacked& entry : kUnpacked)
    if (entry.set == set && entry.file == file) return entry.md5;
  return {};
}

}  // namespace uaspl
