// Compiles a program, looks at it, runs it on memory of its own; prints "outside: ok" if all of that is
// right.

#include <subfloor/subfloor.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr const char* kProgram = R"(HloModule scale
ENTRY main {
  x = f32[5] parameter(0)
  y = f32[5] parameter(1)
  product = f32[5] multiply(x, y)
  ROOT result = (f32[5], f32[5]) tuple(product, x)
})";

// A step that overwrites its state where the caller lets it.
constexpr const char* kStep = R"(HloModule step, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY main {
  state = f32[4] parameter(0)
  ROOT next = f32[4] add(state, state)
})";

int Fail(const std::string& what) {
  std::printf("outside: %s\n", what.c_str());
  return 1;
}

}  // namespace

int main() {
  namespace api = subfloor::api;
  if (auto refused = api::Client::Create({{"thread", "1"}});
      refused || refused.error().message.find("threads") == std::string::npos) {
    return Fail("an unknown option must be refused, naming the nearest");
  }
  auto client = api::Client::Create({{"threads", "1"}});
  if (!client) return Fail(client.error().message);

  auto wrong = client->Compile("ENTRY e { ROOT r = f32[2] parameter(0", "wrong.hlo");
  if (wrong || wrong.error().kind != api::ErrorKind::kBadInput ||
      !wrong.error().message.starts_with("wrong.hlo:1:")) {
    return Fail("a text that does not parse must give an error with its place");
  }

  auto program = client->Compile(kProgram, "scale.hlo");
  if (!program) return Fail(program.error().message);
  if (program->inputs().size() != 2 || program->outputs().size() != 2 || program->inputs()[0].type != "f32" ||
      program->inputs()[0].dimensions.size() != 1 || program->outputs()[0].size_bytes != 20) {
    return Fail("inputs or outputs are not described as the program has them");
  }
  if (program->Explain().find("loop emitter") == std::string::npos)
    return Fail("the explanation names no emitter");

  alignas(64) float x[5] = {1, 2, 3, 4, 5};
  alignas(64) float y[5] = {2, 3, 4, 5, 0.5f};
  alignas(64) float product[5], copy[5];
  const void* inputs[] = {x, y};
  void* outputs[] = {product, copy};
  if (auto ran = program->Run(inputs, outputs); !ran) return Fail(ran.error().message);

  auto step = client->Compile(kStep, "step.hlo");
  if (!step) return Fail(step.error().message);
  if (step->donations() != std::vector<std::pair<size_t, size_t>>{{0, 0}})
    return Fail("the output may take over the input");
  alignas(64) float state[4] = {1, 2, 3, 4}, next[4];
  const void* from[] = {state};
  void* elsewhere[] = {next};
  void* here[] = {state};
  if (!step->Run(from, elsewhere) || next[3] != 8 || state[3] != 4)
    return Fail("an output with memory of its own leaves the input as it was");
  if (!step->Run(from, here) || state[3] != 8) return Fail("an output in its input's memory overwrites it");

  std::vector<api::Buffer> small;
  small.emplace_back(20);
  small.emplace_back(16);
  const std::vector<api::Buffer> results = program->MakeOutputs();
  if (auto ran = program->Run(small, results); ran || ran.error().kind != api::ErrorKind::kBadInput)
    return Fail("a buffer of another size must be refused");
  small.pop_back();
  small.emplace_back(INT64_MAX);
  if (auto ran = program->Run(small, results); ran || ran.error().kind != api::ErrorKind::kOutOfResources)
    return Fail("a buffer without memory must be refused");
  for (int i = 0; i < 5; ++i) {
    if (product[i] != x[i] * y[i] || copy[i] != x[i])
      return Fail("wrong result at element " + std::to_string(i));
  }

  void* unaligned[] = {reinterpret_cast<char*>(product) + 4, copy};
  if (program->Run(inputs, unaligned)) return Fail("a buffer that is not aligned must be refused");
  std::printf("outside: ok\n");
  return 0;
}
