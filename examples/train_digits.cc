/// Trains a classifier of handwritten digits by running one compiled HLO training step some hundred times:
/// what embedding Subfloor in a C++ program looks like.
///
///   train_digits TRAIN.hlo PREDICT.hlo DATA.bin [STEPS]
///
/// DATA.bin: i32 count, then count x 64 f32 pixels in [0, 1], then count i32 labels (examples/demo.py writes
/// it).

#include <subfloor/subfloor.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

namespace {

namespace api = subfloor::api;

constexpr int kPixels = 64;
constexpr size_t kWeights = 4;  // two layers' matrices and biases; as many velocities follow them

template <typename T>
T OrDie(api::Result<T> result) {
  if (result) {
    if constexpr (!std::is_void_v<T>)
      return *std::move(result);
    else
      return;
  }
  std::fprintf(stderr, "train_digits: %s\n", result.error().message.c_str());
  std::exit(1);
}

api::Executable CompileFile(const api::Client& client, const char* path) {
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return OrDie(client.Compile(text, path));
}

struct Digits {
  std::vector<float> pixels;
  std::vector<int32_t> labels;
};

Digits ReadDigits(const char* path) {
  std::ifstream file(path, std::ios::binary);
  int32_t count = 0;
  file.read(reinterpret_cast<char*>(&count), sizeof(count));
  if (!file || count <= 0) {
    std::fprintf(stderr, "train_digits: cannot read %s\n", path);
    std::exit(1);
  }
  Digits digits{std::vector<float>(static_cast<size_t>(count) * kPixels),
                std::vector<int32_t>(static_cast<size_t>(count))};
  file.read(reinterpret_cast<char*>(digits.pixels.data()),
            static_cast<std::streamsize>(digits.pixels.size() * 4));
  file.read(reinterpret_cast<char*>(digits.labels.data()),
            static_cast<std::streamsize>(digits.labels.size() * 4));
  return digits;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: train_digits TRAIN.hlo PREDICT.hlo DATA.bin [STEPS]\n");
    return 2;
  }
  const int steps = argc > 4 ? std::atoi(argv[4]) : 300;
  const api::Client client = OrDie(api::Client::Create());
  const api::Executable train = CompileFile(client, argv[1]), predict = CompileFile(client, argv[2]);
  const Digits digits = ReadDigits(argv[3]);

  // Inputs: weights, velocities, images, labels. Outputs: weights, velocities, the loss.
  std::vector<api::Buffer> in = train.MakeInputs(), out = train.MakeOutputs();
  std::mt19937 random(0);
  for (size_t i = 0; i < kWeights; i += 2) {  // matrices; biases and velocities start at zero
    std::normal_distribution<float> normal(0, 0.125f);
    for (float& weight : in[i].as<float>()) weight = normal(random);
  }
  const std::span<float> images = in[2 * kWeights].as<float>();
  const std::span<int32_t> labels = in[2 * kWeights + 1].as<int32_t>();
  const size_t training = digits.labels.size() * 4 / 5;  // the rest is held out
  std::uniform_int_distribution<size_t> pick(0, training - 1);
  for (int step = 0; step < steps; ++step) {
    for (size_t row = 0; row < labels.size(); ++row) {
      const size_t digit = pick(random);
      std::copy_n(digits.pixels.begin() + static_cast<int64_t>(digit * kPixels), kPixels,
                  images.begin() + static_cast<int64_t>(row * kPixels));
      labels[row] = digits.labels[digit];
    }
    OrDie(train.Run(in, out));
    for (size_t i = 0; i < 2 * kWeights; ++i)
      std::swap(in[i], out[i]);  // the new state is the next step's input
    if (step % 50 == 0 || step + 1 == steps)
      std::printf("step %4d  loss %.4f\n", step, out[2 * kWeights].as<float>()[0]);
  }

  std::vector<api::Buffer> all = predict.MakeInputs(), answer = predict.MakeOutputs();
  for (size_t i = 0; i < kWeights; ++i) std::swap(all[i], in[i]);
  std::copy(digits.pixels.begin(), digits.pixels.end(), all[kWeights].as<float>().begin());
  OrDie(predict.Run(all, answer));
  size_t right = 0;
  for (size_t i = training; i < digits.labels.size(); ++i)
    right += answer[0].as<int32_t>()[i] == digits.labels[i];
  std::printf("accuracy on %zu held-out digits: %.1f%%\n", digits.labels.size() - training,
              100.0 * static_cast<double>(right) / static_cast<double>(digits.labels.size() - training));
}
