#include <fmt/format.h>

#include "evaluate_text.h"

namespace subfloor::evaluator_testing {
namespace {

constexpr std::string_view kAdd =
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n";

// Runs `entry` on replicas (times partitions), participant p with its own value of the parameter; one line of
// text a result.
std::vector<Literal> RunOnAll(int64_t replicas, int64_t partitions, std::string_view entry,
                              const std::vector<Literal>& values) {
  const auto module =
      Parse(fmt::format("HloModule m, replica_count={}, num_partitions={}\n{}ENTRY e {{ {} }}", replicas,
                        partitions, kAdd, entry));
  std::vector<std::vector<Literal>> arguments;
  for (const Literal& value : values) arguments.push_back({value});
  auto results = EvaluateOnAll(*module, arguments);
  if (results) return *std::move(results);
  ADD_FAILURE() << results.error().ToString();
  return std::vector<Literal>(values.size());
}

// {p, 10p} for each of n participants.
std::vector<Literal> Pairs(int64_t n) {
  std::vector<Literal> values;
  for (int64_t p = 0; p < n; ++p) values.push_back(Value("f32[2]", fmt::format("{{{}, {}}}", p, 10 * p)));
  return values;
}

TEST(Collectives, AllReduceAmongEveryone) {
  for (const Literal& result : RunOnAll(
           3, 1, "x = f32[2] parameter(0) ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply=add",
           Pairs(3))) {
    EXPECT_TRUE(Matches(result, Value("f32[2]", "{3, 30}")));
  }
}

TEST(Collectives, GroupsAreApart) {
  const auto results = RunOnAll(
      4, 1,
      "x = f32[2] parameter(0) ROOT r = f32[2] all-reduce(x), replica_groups={{0,3},{1,2}}, to_apply=add",
      Pairs(4));
  for (size_t p : {0u, 3u}) EXPECT_TRUE(Matches(results[p], Value("f32[2]", "{3, 30}")));
  for (size_t p : {1u, 2u}) EXPECT_TRUE(Matches(results[p], Value("f32[2]", "{3, 30}")));
  const auto iota = RunOnAll(
      4, 1, "x = f32[2] parameter(0) ROOT r = f32[2] all-reduce(x), replica_groups=[2,2]<=[4], to_apply=add",
      Pairs(4));
  EXPECT_TRUE(Matches(iota[1], Value("f32[2]", "{1, 10}")));
  EXPECT_TRUE(Matches(iota[2], Value("f32[2]", "{5, 50}")));
}

TEST(Collectives, WhatIdsMean) {
  // Participants 0..3 are (replica 0, partition 0), (0, 1), (1, 0), (1, 1).
  const auto by_replica = RunOnAll(
      2, 2, "x = f32[2] parameter(0) ROOT r = f32[2] all-reduce(x), replica_groups={{0,1}}, to_apply=add",
      Pairs(4));
  EXPECT_TRUE(Matches(by_replica[0], Value("f32[2]", "{2, 20}")));
  EXPECT_TRUE(Matches(by_replica[3], Value("f32[2]", "{4, 40}")));
  const auto both = RunOnAll(2, 2,
                             "x = f32[2] parameter(0) ROOT r = f32[2] all-reduce(x), channel_id=1, "
                             "replica_groups={{0},{1}}, to_apply=add",
                             Pairs(4));
  EXPECT_TRUE(Matches(both[0], Value("f32[2]", "{1, 10}")));
  EXPECT_TRUE(Matches(both[2], Value("f32[2]", "{5, 50}")));
  const auto global = RunOnAll(2, 2,
                               "x = f32[2] parameter(0) ROOT r = f32[2] all-reduce(x), channel_id=1, "
                               "use_global_device_ids=true, replica_groups={{0,3},{1,2}}, to_apply=add",
                               Pairs(4));
  EXPECT_TRUE(Matches(global[0], Value("f32[2]", "{3, 30}")));
  const auto partitions = RunOnAll(2, 2,
                                   "x = f32[2] parameter(0) ROOT r = f32[2] collective-permute(x), "
                                   "channel_id=1, source_target_pairs={{0,1}}",
                                   Pairs(4));
  EXPECT_TRUE(Matches(partitions[0], Value("f32[2]", "{0, 0}")));
  EXPECT_TRUE(Matches(partitions[3], Value("f32[2]", "{2, 20}")));
}

TEST(Collectives, AllGatherInTheGroupsOrder) {
  const auto results = RunOnAll(
      2, 1, "x = f32[2] parameter(0) ROOT r = f32[4] all-gather(x), dimensions={0}, replica_groups={{1,0}}",
      Pairs(2));
  for (const Literal& result : results) EXPECT_TRUE(Matches(result, Value("f32[4]", "{1, 10, 0, 0}")));
  const auto inner = RunOnAll(2, 1,
                              "p = f32[2] parameter(0) x = f32[2,1] reshape(p) ROOT r = f32[2,2] "
                              "all-gather(x), dimensions={1}, replica_groups={}",
                              Pairs(2));
  EXPECT_TRUE(Matches(inner[0], Value("f32[2,2]", "{{0, 1}, {0, 10}}")));
}

TEST(Collectives, ReduceScatterGivesEachItsPart) {
  const auto results = RunOnAll(2, 1,
                                "x = f32[2] parameter(0) ROOT r = f32[1] reduce-scatter(x), dimensions={0}, "
                                "replica_groups={{1,0}}, to_apply=add",
                                Pairs(2));
  EXPECT_TRUE(Matches(results[1], Value("f32[1]", "{1}")));
  EXPECT_TRUE(Matches(results[0], Value("f32[1]", "{10}")));
}

TEST(Collectives, AllToAllInBothForms) {
  const auto array = RunOnAll(
      2, 1, "x = f32[2] parameter(0) ROOT r = f32[2] all-to-all(x), dimensions={0}, replica_groups={}",
      Pairs(2));
  EXPECT_TRUE(Matches(array[0], Value("f32[2]", "{0, 1}")));
  EXPECT_TRUE(Matches(array[1], Value("f32[2]", "{0, 10}")));
  const auto tuple = RunOnAll(2, 1, R"(
    x = f32[2] parameter(0)
    a = f32[1] slice(x), slice={[0:1]}
    b = f32[1] slice(x), slice={[1:2]}
    ROOT r = (f32[1], f32[1]) all-to-all(a, b), replica_groups={{0,1}})",
                              Pairs(2));
  EXPECT_TRUE(Matches(tuple[1], Literal::Tuple({Value("f32[1]", "{0}"), Value("f32[1]", "{10}")})));
}

TEST(Collectives, PermuteLeavesZerosWhereNothingArrives) {
  const auto results = RunOnAll(
      3, 1,
      "x = f32[2] parameter(0) ROOT r = f32[2] collective-permute(x), source_target_pairs={{0,1},{1,2}}",
      Pairs(3));
  EXPECT_TRUE(Matches(results[0], Value("f32[2]", "{0, 0}")));
  EXPECT_TRUE(Matches(results[1], Value("f32[2]", "{0, 0}")));
  EXPECT_TRUE(Matches(results[2], Value("f32[2]", "{1, 10}")));
}

TEST(Collectives, BroadcastFromTheFirstOfTheGroup) {
  const auto results = RunOnAll(
      4, 1, "x = f32[2] parameter(0) ROOT r = f32[2] collective-broadcast(x), replica_groups={{2,1},{3}}",
      Pairs(4));
  EXPECT_TRUE(Matches(results[0], Value("f32[2]", "{0, 0}")));
  EXPECT_TRUE(Matches(results[1], Value("f32[2]", "{2, 20}")));
  EXPECT_TRUE(Matches(results[2], Value("f32[2]", "{2, 20}")));
  EXPECT_TRUE(Matches(results[3], Value("f32[2]", "{3, 30}")));
}

TEST(Collectives, StartAndDone) {
  const auto reduced = RunOnAll(2, 1, R"(
    x = f32[2] parameter(0)
    s = f32[2] all-reduce-start(x), replica_groups={}, to_apply=add
    ROOT r = f32[2] all-reduce-done(s))",
                                Pairs(2));
  EXPECT_TRUE(Matches(reduced[0], Value("f32[2]", "{1, 10}")));
  const auto gathered = RunOnAll(2, 1, R"(
    x = f32[2] parameter(0)
    s = (f32[2], f32[4]) all-gather-start(x), dimensions={0}, replica_groups={}
    ROOT r = f32[4] all-gather-done(s))",
                                 Pairs(2));
  EXPECT_TRUE(Matches(gathered[1], Value("f32[4]", "{0, 0, 1, 10}")));
  const auto permuted = RunOnAll(2, 1, R"(
    x = f32[2] parameter(0)
    s = (f32[2], f32[2], u32[], u32[]) collective-permute-start(x), source_target_pairs={{1,0}}
    ROOT r = f32[2] collective-permute-done(s))",
                                 Pairs(2));
  EXPECT_TRUE(Matches(permuted[0], Value("f32[2]", "{1, 10}")));
}

TEST(Collectives, RaggedRowsLandAtTheReceiversOffsets) {
  // Replica 0 keeps one row and sends one; replica 1 sends both of its rows to 0.
  const auto module = Parse(R"(HloModule m, replica_count=2
    ENTRY e {
      x = f32[2] parameter(0)
      o = f32[4] parameter(1)
      in = s32[2] parameter(2) send = s32[2] parameter(3) out = s32[2] parameter(4) got = s32[2] parameter(5)
      ROOT r = f32[4] ragged-all-to-all(x, o, in, send, out, got), replica_groups={{0,1}}
    })");
  const auto ints = [](std::string_view text) { return Value("s32[2]", text); };
  const Literal output = Value("f32[4]", "{-1, -1, -1, -1}");
  const std::vector<std::vector<Literal>> arguments = {
      {Value("f32[2]", "{1, 2}"), output, ints("{0, 1}"), ints("{1, 1}"), ints("{0, 3}"), ints("{1, 2}")},
      {Value("f32[2]", "{3, 4}"), output, ints("{0, 2}"), ints("{2, 0}"), ints("{1, 0}"), ints("{1, 0}")}};
  const auto results = EvaluateOnAll(*module, arguments);
  ASSERT_TRUE(results) << results.error().ToString();
  EXPECT_TRUE(Matches((*results)[0], Value("f32[4]", "{1, 3, 4, -1}")));
  EXPECT_TRUE(Matches((*results)[1], Value("f32[4]", "{-1, -1, -1, 2}")));
}

TEST(Collectives, IdsOfReplicasAndPartitions) {
  const auto results = RunOnAll(2, 2,
                                "x = f32[2] parameter(0) r = u32[] replica-id() p = u32[] partition-id() "
                                "ROOT t = (u32[], u32[]) tuple(r, p)",
                                Pairs(4));
  EXPECT_TRUE(Matches(results[2], Literal::Tuple({Value("u32[]", "1"), Value("u32[]", "0")})));
}

TEST(Collectives, WhoAsksForTheImpossibleIsTold) {
  const auto module = Parse(std::string("HloModule m, replica_count=2\n") + std::string(kAdd) +
                            "ENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] all-reduce(x), "
                            "replica_groups={{0,5}}, to_apply=add }");
  const std::vector<std::vector<Literal>> arguments = {{Value("f32[2]", "{1, 2}")},
                                                       {Value("f32[2]", "{1, 2}")}};
  const auto results = EvaluateOnAll(*module, arguments);
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().message(), "id 5 in a replica group; there are 2 participants");
  const auto alone = Evaluate(*module, arguments[0]);
  EXPECT_FALSE(alone);
}

TEST(Communication, InfeedAndOutfeed) {
  std::vector<float> seen;
  EvaluateOptions options;
  options.infeed = [](const Shape& shape, std::string_view config) -> Result<Literal> {
    EXPECT_EQ(config, "left");
    return Value(shape.ToString(false), "{1, 2}");
  };
  options.outfeed = [&seen](const Literal& value, std::string_view) -> Status {
    seen.assign(value.data<float>().begin(), value.data<float>().end());
    return {};
  };
  const std::string_view text = R"(ENTRY e {
    t = token[] after-all()
    in = (f32[2], token[]) infeed(t), infeed_config="left"
    x = f32[2] get-tuple-element(in), index=0
    y = f32[2] add(x, x)
    u = token[] get-tuple-element(in), index=1
    out = token[] outfeed(y, u), outfeed_shape=f32[2]
    ROOT r = f32[2] negate(y)
  })";
  EXPECT_TRUE(Matches(EvaluateText(text, {}, options), Value("f32[2]", "{-2, -4}")));
  EXPECT_EQ(seen, (std::vector<float>{2, 4}));
  const auto without = TryEvaluateText(text);
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().kind(), ErrorKind::kNotSupported);
}

TEST(Communication, SendAndReceive) {
  Literal sent;
  EvaluateOptions options;
  options.send = [&sent](int64_t channel, const Literal& value) -> Status {
    EXPECT_EQ(channel, 3);
    sent = value;
    return {};
  };
  options.recv = [](int64_t channel, const Shape& shape) -> Result<Literal> {
    EXPECT_EQ(channel, 4);
    return Value(shape.ToString(false), "{5, 6}");
  };
  const Literal result = EvaluateText(R"(ENTRY e {
    x = f32[2] constant({1, 2})
    t = token[] after-all()
    s = (f32[2], u32[], token[]) send(x, t), channel_id=3, is_host_transfer=true
    sd = token[] send-done(s), channel_id=3, is_host_transfer=true
    v = (f32[2], u32[], token[]) recv(sd), channel_id=4, is_host_transfer=true
    vd = (f32[2], token[]) recv-done(v), channel_id=4, is_host_transfer=true
    ROOT r = f32[2] get-tuple-element(vd), index=0
  })",
                                      {}, options);
  EXPECT_TRUE(Matches(result, Value("f32[2]", "{5, 6}")));
  EXPECT_TRUE(Matches(sent, Value("f32[2]", "{1, 2}")));
}

}  // namespace
}  // namespace subfloor::evaluator_testing
