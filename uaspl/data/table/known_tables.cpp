// The paper's 25 tabular data sets: one entry each.
#include "uaspl/data/table/known_tables.hpp"

#include <string>

#include "uaspl/base/table.hpp"

namespace uaspl {
namespace {

// Licence: the UCI repository gives its sets as CC BY 4.0; "" where its page was not confirmed.
const KnownSet kSets[] = {
    {"banknote", "data_banknote_authentication.csv", 1372, 4, 2, 0, "Banknote Authentication", 267,
     "10.24432/C55P57", "CC BY 4.0",
     "704641f764c6dad98e133caa1fb2efdaabe266b023e27483530ebffc8fc3c2a1", 45071, "", ""},
    {"breast_cancer_diagnostic", "breast_cancer_Diagnostic.csv", 569, 30, 2, 0,
     "Breast Cancer Wisconsin (Diagnostic)", 17, "10.24432/C5DW2B", "CC BY 4.0",
     "a855fbe95ffd053e3e6e8064cbe7e7183d4f25d7945aa10994e32bfabffc8bb9", 120381,
     "label 1 = malignant", ""},
    {"caesarian", "Caesarian.csv", 80, 5, 2, 0, "Caesarian Section Classification Dataset", 472,
     "10.24432/C5N59X", "", "b8894d317a1a005cdceb5ee45e9503e91231a8aa2a0075dcde60769a2b8627a6",
     1092, "", ""},
    {"cmc", "cmc.csv", 1473, 8, 3, 0, "Contraceptive Method Choice", 30, "10.24432/C59W2D",
     "CC BY 4.0", "c78968d85738c169fc8653419e0084383bd2d5007f1af44b2ac8ee3818277846", 28095,
     "8 of the 9 UCI attributes; 63 groups of equal rows with different labels", ""},
    {"column_2c", "column_2C.csv", 310, 6, 2, 0, "Vertebral Column", 212, "10.24432/C5K89B",
     "CC BY 4.0", "1974e1f9350842d4ae3d7b8d0ff26bf52e997ef46fbfc587fc3830a1cc5a315b", 11511,
     "label 0 = normal; 1 = abnormal", ""},
    {"column_3c", "column_3C.csv", 310, 6, 3, 0, "Vertebral Column", 212, "10.24432/C5K89B",
     "CC BY 4.0", "ffaced62a4cdda6a4776378a4779249161e2dbcc50cddefd57f61e1f241f8714", 11511,
     "same features and order as column_2c; label 0 = normal; 1 and 2 = the two abnormal classes",
     ""},
    {"cryotherapy", "Cryotherapy.csv", 90, 6, 2, 0, "Cryotherapy Dataset", 429, "", "CC BY 4.0",
     "185c5547b0b0e471b6774180a6fa0faac4804be0e370a3f04c271da8502c00cc", 1696, "", ""},
    {"haberman", "Haberman.csv", 306, 3, 2, 0, "Haberman's Survival", 43, "10.24432/C5XK51",
     "CC BY 4.0", "77850746f05bea2fd47caed971e50dcf6f830056834ed2c8abade2aa9c0dd14a", 3126,
     "label 1 = survived 5 years or longer (UCI 1); 0 = died (UCI 2)", ""},
    {"hayes_roth", "Hayes-Roth.csv", 160, 4, 3, 0, "Hayes-Roth", 44, "10.24432/C5501T", "CC BY 4.0",
     "a94fe264b09a89733b899312ec3e5adad319c3387525f37bf9a097eec243653b", 1619,
     "67 of 160 rows are duplicates; 9 groups of equal rows with different labels", ""},
    {"heart", "Heart.csv", 303, 13, 2, 6, "Heart Disease", 45, "10.24432/C52P4X", "CC BY 4.0",
     "ce2e51c6b669e6c6adc14f7ed8945175f64ea255df6004c9ed133d3c987c49f8", 11095,
     "303-row Cleveland part; '?' in parameter12 and parameter13", ""},
    {"ilpd", "Indian Liver Patient Dataset (ILPD).csv", 583, 10, 2, 4,
     "ILPD (Indian Liver Patient Dataset)", 225, "10.24432/C5D02C", "CC BY 4.0",
     "9cbc5a4ca598ac84ba2372a77b3350c8f0f5f5de417204893f78a87b79310177", 21177,
     "empty cells in f10; label 1 = liver patient (UCI 1); 0 = UCI 2", ""},
    {"immunotherapy", "Immunotherapy.csv", 90, 7, 2, 0, "Immunotherapy Dataset", 428, "", "",
     "0bda6b8f1bb9a7cf67cca62b6ded5d4e74596707f4a77c5ec4fb43350f8e309b", 1919, "", ""},
    {"ionosphere", "ionosphere.csv", 351, 34, 2, 0, "Ionosphere", 52, "10.24432/C5W01B",
     "CC BY 4.0", "c3028ff1bc59493b4e3c71f12af3014033147e1d9b9441dab5ecbac57affcb7a", 75483,
     "f2 is constant (0); label 0 = good; 1 = bad", ""},
    {"nhanes_age", "NHANES_age_prediction.csv", 2278, 8, 2, 0,
     "National Health and Nutrition Health Survey 2013-2014 (NHANES) Age Prediction Subset", 887,
     "10.24432/C5BS66", "CC BY 4.0",
     "45b7499a2711c7666ac25f4ac26f78fb3ac0cca0e2374bd4ea0ecbcdf9e92248", 64087,
     "leaks its label: f1 is the age itself; label is 1 exactly when f1 <= 64", "f1"},
    {"occupancy", "occupancy.csv", 2665, 5, 2, 0, "Occupancy Detection", 357, "10.24432/C5X01N",
     "CC BY 4.0", "bebb442a37b3fbe9b859cfb9c78a74fd321ce4b1e518cd923062e12a9129d411", 97927,
     "2665 rows as in the first UCI test file; date column left out", ""},
    {"pop", "pop.csv", 540, 15, 2, 0, "Climate Model Simulation Crashes", 252, "10.24432/C5HG71",
     "CC BY 4.0", "a7a4590684e844ebb1f5f2220d22a7bc77e3e539030410e00921c99b50db9a2f", 97547,
     "15 of the 18 model parameters (12-14 missing)", ""},
    {"qualitative_bankruptcy", "Qualitative_Bankruptcy.csv", 250, 6, 2, 0, "Qualitative_Bankruptcy",
     281, "10.24432/C52889", "", "690b3fc03280cd38077cf3cbd294474c51c491d44badb129fbf0d16e31374309",
     3525, "147 of 250 rows are duplicates", ""},
    {"raisin", "Raisin_Dataset.csv", 900, 7, 2, 0, "Raisin", 850, "10.24432/C5660T", "",
     "f5d21f05ba3517237e6b2a2bfc1a9e025a48b1c3e57aff2f077eca17f326cc41", 63717, "", ""},
    {"seeds", "seeds.csv", 210, 7, 3, 0, "Seeds", 236, "10.24432/C5H30K", "CC BY 4.0",
     "734462fff9af82cd96e9e918de9ff0e530417716339f0aecc692bf6e7a0489d1", 9372, "", ""},
    {"somerville_happiness", "SomervilleHappinessSurvey2015.csv", 143, 6, 2, 0,
     "Somerville Happiness Survey", 479, "", "",
     "73c1b359411966194f7abf0e62092d41fe45515da856a1f3b7efa625e6790ff1", 2027, "", ""},
    {"steel_plates_4", "steel_plates_faults_4.csv", 1941, 28, 2, 0, "Steel Plates Faults", 198,
     "10.24432/C5J88N", "CC BY 4.0",
     "766677774ec5e6f9a7fe6378a8c4f5f3afda299a267a88633c0598418b2f9481", 278238,
     "leaks its label: header ends with an empty name; that 28th feature column equals 1 - label; "
     "label 0 = the 72-row fault class (the fourth)",
     "c29"},
    {"transfusion", "transfusion.csv", 748, 4, 2, 0, "Blood Transfusion Service Center", 176,
     "10.24432/C5GS39", "CC BY 4.0",
     "361b578e4e718999758f423abc05f08156a2bdc771982131ad24ba6883fc391b", 10503,
     "label 0 = donated (UCI 1); 1 = did not (UCI 0); f3 = 250 * f2; 215 of 748 rows are "
     "duplicates; 31 groups of equal rows with different labels",
     ""},
    {"waveform", "waveform.csv", 4782, 21, 3, 0, "Waveform Database Generator (Version 1)", 107,
     "10.24432/C5CS3C", "CC BY 4.0",
     "7d72d24c715df7d059cdd5e27da48c81bf3bbaab0efaf1b44a4e8faaf7dc52f6", 519614,
     "synthetic; 4782 rows (UCI file: 5000)", ""},
    {"wholesale_customers", "Wholesale customers data.csv", 440, 7, 3, 0, "Wholesale customers",
     292, "10.24432/C5030X", "CC BY 4.0",
     "41c991a5f7e1e92d374a0605e5f48b741f8472c0ae911c5f680c6596bafe9cf1", 14580,
     "label = Region recoded (316 / 77 / 47); Channel kept as a feature", ""},
    {"wine", "wine.csv", 178, 13, 3, 0, "Wine", 109, "10.24432/C5PC7J", "CC BY 4.0",
     "b6e252b82b821a62a1530d10e2dd10c9eba4e47c816197d607b1bf1e93f07012", 11176,
     "labels 1 / 2 / 0 = cultivars 1 / 2 / 3", ""},
};

}  // namespace

std::span<const KnownSet> known_sets() { return kSets; }

const KnownSet* find_without_leak(std::string_view name) {
  for (const KnownSet& set : kSets)
    if (set.leaks_label() && name == std::string(set.name) + std::string(kNoLeak)) return &set;
  return nullptr;
}

std::vector<std::string> named_sets(std::string_view name) {
  if (name != "paper" && name != "honest") return {std::string(name)};
  std::vector<std::string> all;
  for (const KnownSet& set : kSets) {
    all.emplace_back(set.name);
    if (name == "honest" && set.leaks_label()) all.back() += kNoLeak;
  }
  return all;
}

const KnownSet& find_known_set(std::string_view name) {
  return find_named(known_sets(), "data set", name);
}

}  // namespace uaspl
