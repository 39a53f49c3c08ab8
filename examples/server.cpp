// Answers requests with one model and several threads, as a server does: a request is a line
// `column=value,column=value,...` on standard input, its answer a line on standard output, in the
// order of the requests. Links uaspl::predict alone. Usage: server churn.model THREADS < requests
#include <uaspl/predict.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace {

uaspl::NamedRow parse_request(const std::string& line) {
  uaspl::NamedRow row;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    const std::string cell = line.substr(begin, end - begin);
    const std::size_t equals = cell.find('=');
    if (equals == std::string::npos)
      throw uaspl::Error("expected column=value, not '" + cell + "'");
    row.insert_or_assign(cell.substr(0, equals), cell.substr(equals + 1));
    begin = end + 1;
  }
  return row;
}

// One request that cannot be answered does not end the server.
std::string answer(const uaspl::Predictor& predictor, const std::string& request) {
  try {
    const uaspl::Prediction p = predictor.predict_row(parse_request(request));
    char text[64];
    std::snprintf(text, sizeof text, " entropy %.3f", p.entropy);
    std::string line = p.label + text;
    if (p.vacuity) {
      std::snprintf(text, sizeof text, " vacuity %.3f", *p.vacuity);
      line += text;
    }
    return line;
  } catch (const uaspl::Error& error) {
    return std::string("error: ") + error.what();
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int threads = argc == 3 ? std::atoi(argv[2]) : 0;
    if (threads < 1) throw uaspl::Error("usage: server churn.model THREADS < requests");
    const uaspl::Predictor predictor(uaspl::load_model(argv[1]));  // all threads share it
    std::vector<std::string> requests;
    for (std::string line; std::getline(std::cin, line);) requests.push_back(line);

    std::vector<std::string> answers(requests.size());
    std::atomic<std::size_t> next{0};
    {
      std::vector<std::jthread> workers;
      for (int t = 0; t < threads; ++t)
        workers.emplace_back([&] {
          for (std::size_t i = next++; i < requests.size(); i = next++)
            answers[i] = answer(predictor, requests[i]);
        });
    }
    for (const std::string& line : answers) std::printf("%s\n", line.c_str());
    return 0;
  } catch (const uaspl::Error& error) {
    std::fprintf(stderr, "server: %s\n", error.what());
    return 1;
  }
}
