#include "device/sim/block_runner.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace subfloor::device::sim {
namespace {

using State = SimThread::State;

constexpr uint64_t kSharedAlignment = 1024;
constexpr int kFreshByte = 0xff;  // what shared memory holds before it is written: NaN, -1

const SimThread& Of(const SubfloorKernelThread* thread) { return *static_cast<const SimThread*>(thread); }

}  // namespace

const SubfloorThreadHooks BlockRunner::kFastHooks = {BarrierHook, ShuffleHook, PlainAccessHook};
const SubfloorThreadHooks BlockRunner::kCheckedHooks = {BarrierHook, ShuffleHook, CheckedAccessHook};

BlockRunner::BlockRunner(uint32_t threads_per_warp, const SimOptions& options)
    : threads_per_warp_(threads_per_warp), findings_(options.findings_kept_of_each) {}

BlockRunner::~BlockRunner() = default;

Status BlockRunner::StartLaunch(const Launch& launch) {
  const SimulatedKernelPlan& plan = launch.kernel->plan;
  launch_ = &launch;
  counters_ = {};
  findings_.Take();
  error_.reset();
  checker_.reset();
  if (plan.checked) {
    counters_.sites.resize(plan.sites.size());
    checker_.emplace(launch, threads_per_warp_, findings_, counters_.sites);
  }
  arguments_.clear();
  for (const LaunchArgument& argument : launch.arguments)
    arguments_.push_back({argument.data, argument.size});
  shared_ = nullptr;
  if (launch.shared_bytes != 0) {
    shared_storage_.resize(std::max<size_t>(shared_storage_.size(), launch.shared_bytes + kSharedAlignment));
    const auto start = reinterpret_cast<uintptr_t>(shared_storage_.data());
    shared_ = shared_storage_.data() + (kSharedAlignment - start % kSharedAlignment) % kSharedAlignment;
  }
  if (plan.synchronises) SF_CHECK(fibers_.Reserve(launch.threads));

  const auto& grid = launch.dimensions.grid;
  const uint32_t calls = plan.whole_block ? 1 : launch.threads;
  threads_.assign(calls, {});
  for (uint32_t i = 0; i < calls; ++i) {
    SimThread& thread = threads_[i];
    const auto place = launch.ThreadAt(i);
    std::ranges::copy(place, thread.thread_id);
    thread.shared = shared_;
    thread.hooks = plan.checked ? &kCheckedHooks : &kFastHooks;
    thread.runner = this;
    thread.index = i;
    thread.warp = i / threads_per_warp_;
    thread.lane = i % threads_per_warp_;
    thread.call = {SUBFLOOR_KERNEL_ABI_VERSION,
                   static_cast<uint32_t>(arguments_.size()),
                   arguments_.data(),
                   {},
                   {grid[0], grid[1], grid[2]},
                   nullptr,
                   &kernel_error_,
                   &thread};
    if (plan.synchronises) {
      fibers_.SetBody(
          i,
          [](void* argument) {
            auto& self = *static_cast<SimThread*>(argument);
            self.runner->Call(self);
          },
          &thread);
    }
  }
  order_.resize(calls);
  std::iota(order_.begin(), order_.end(), 0);
  return {};
}

void BlockRunner::Call(SimThread& thread) {
  const int32_t code = launch_->kernel->entry(&thread.call);
  if (code != SUBFLOOR_KERNEL_OK && !error_) {
    const auto block = launch_->BlockAt(block_);
    error_ = Error(ErrorKind::kBadInput, fmt::format("kernel '{}', block ({},{},{}): error {} at site {}",
                                                     launch_->kernel->plan.symbol, block[0], block[1],
                                                     block[2], kernel_error_.code, kernel_error_.site));
  }
  thread.state = State::kEnded;
}

void BlockRunner::Run(uint64_t block) {
  const SimulatedKernelPlan& plan = launch_->kernel->plan;
  block_ = block;
  ++counters_.blocks;
  counters_.threads += launch_->threads;
  if (shared_ != nullptr) std::memset(shared_, kFreshByte, launch_->shared_bytes);
  const auto place = launch_->BlockAt(block);
  for (SimThread& thread : threads_) {
    std::ranges::copy(place, thread.call.workgroup_id);
    thread.state = State::kReady;
  }
  at_barrier_ = at_shuffle_ = 0;
  if (launch_->seed != 0) random_ = Random(launch_->seed + block);
  if (checker_) checker_->StartBlock(block, shared_);
  if (plan.synchronises) {
    RunOnFibers();
  } else {
    RunOneByOne();
  }
  if (checker_) checker_->Flush();
}

void BlockRunner::RunOneByOne() {
  const uint32_t count = static_cast<uint32_t>(threads_.size()), width = threads_per_warp_;
  const PermutedRange warps((count + width - 1) / width, launch_->seed == 0 ? 0 : random_.Next());
  for (uint32_t w = 0; w * width < count; ++w) {
    const uint32_t first = static_cast<uint32_t>(warps.At(w)) * width;
    const PermutedRange lanes(std::min(width, count - first), launch_->seed == 0 ? 0 : random_.Next());
    for (uint32_t lane = 0; lane < std::min(width, count - first); ++lane)
      Call(threads_[first + lanes.At(lane)]);
    if (checker_) checker_->Flush();
  }
}

void BlockRunner::RunOnFibers() {
  ready_ = order_;
  while (!ready_.empty()) {
    if (launch_->seed != 0) random_.Permute(std::span(ready_));
    for (uint32_t index : ready_) fibers_.Resume(index);
    Release();
  }
}

void BlockRunner::Release() {
  ready_.clear();
  if (at_shuffle_ != 0) return ReleaseShuffles();
  if (at_barrier_ != 0) ReleaseBarrier();
}

void BlockRunner::ReleaseBarrier() {
  const SimThread* waiting = nullptr;
  for (const SimThread& thread : threads_) {
    if (thread.state != State::kAtBarrier) continue;
    waiting = &thread;
    break;
  }
  for (const SimThread& thread : threads_) {
    if (thread.state == State::kAtBarrier && thread.site == waiting->site) continue;
    AddDivergence(Check::kDivergentBarrier, *waiting, thread);
    break;
  }
  ++counters_.barriers;
  at_barrier_ = 0;
  for (SimThread& thread : threads_) {
    if (thread.state != State::kAtBarrier) continue;
    thread.state = State::kReady;
    ready_.push_back(thread.index);
  }
  if (checker_) checker_->Meet();
}

// Every thread of a warp has run to where it waits: those that are not at the same shuffle now will not come.
void BlockRunner::ReleaseShuffles() {
  const size_t width = threads_per_warp_;
  for (size_t first = 0; first < threads_.size(); first += width) {
    const auto warp = std::span(threads_).subspan(first, std::min(width, threads_.size() - first));
    if (std::ranges::any_of(warp, [](const SimThread& t) { return t.state == State::kAtShuffle; }))
      Shuffle(warp);
  }
}

void BlockRunner::Shuffle(std::span<SimThread> warp) {
  const SimThread& leader =
      *std::ranges::find_if(warp, [](const SimThread& t) { return t.state == State::kAtShuffle; });
  const uint32_t site = leader.site;
  const auto takes_part = [&](const SimThread& t) { return t.state == State::kAtShuffle && t.site == site; };
  for (const SimThread& thread : warp) {
    if (takes_part(thread)) continue;
    AddDivergence(Check::kDivergentShuffle, leader, thread);
    break;
  }
  ++counters_.shuffles;
  lanes_.clear();
  for (const SimThread& thread : warp) {
    const size_t from = size_t{thread.lane} + thread.distance;
    lanes_.push_back(from < warp.size() && takes_part(warp[from]) ? warp[from].value : thread.value);
  }
  for (SimThread& thread : warp) {
    if (!takes_part(thread)) continue;
    thread.value = lanes_[thread.lane];
    thread.state = State::kReady;
    ready_.push_back(thread.index);
    --at_shuffle_;
  }
}

void BlockRunner::AddDivergence(Check check, const SimThread& waiting, const SimThread& other) {
  Finding* finding = findings_.Add(check, launch_->kernel->plan, waiting.site);
  if (finding == nullptr) return;
  const auto block = launch_->BlockAt(block_);
  finding->thread = {block, launch_->ThreadAt(waiting.index)};
  finding->has_other = true;
  finding->other = {block, launch_->ThreadAt(other.index)};
  switch (other.state) {
    case State::kEnded:
      finding->detail = "the other has ended";
      break;
    case State::kAtBarrier:
      finding->detail = fmt::format("the other waits at the barrier of site {}", other.site);
      break;
    case State::kAtShuffle:
      finding->detail = fmt::format("the other waits at the shuffle of site {}", other.site);
      break;
    case State::kReady:
      finding->detail = "the other has gone on";
      break;
  }
}

void BlockRunner::AddUndeclared(const SimThread& thread, uint32_t site) {
  Finding* finding = findings_.Add(Check::kUndeclaredMeeting, launch_->kernel->plan, site);
  if (finding == nullptr) return;
  finding->thread = {launch_->BlockAt(block_), launch_->ThreadAt(thread.index)};
}

void BlockRunner::BarrierHook(const SubfloorKernelThread* thread, uint32_t site) {
  BlockRunner& runner = *Of(thread).runner;
  if (!runner.launch_->kernel->plan.synchronises) return runner.AddUndeclared(Of(thread), site);
  SimThread& self = runner.threads_[Of(thread).index];
  self.state = State::kAtBarrier;
  self.site = site;
  ++runner.at_barrier_;
  runner.fibers_.Suspend(self.index);
}

uint32_t BlockRunner::ShuffleHook(const SubfloorKernelThread* thread, uint32_t site, uint32_t value,
                                  uint32_t distance) {
  BlockRunner& runner = *Of(thread).runner;
  if (!runner.launch_->kernel->plan.synchronises) {
    runner.AddUndeclared(Of(thread), site);
    return value;
  }
  SimThread& self = runner.threads_[Of(thread).index];
  self.state = State::kAtShuffle;
  self.site = site;
  self.value = value;
  self.distance = distance;
  ++runner.at_shuffle_;
  runner.fibers_.Suspend(self.index);
  return self.value;
}

void* BlockRunner::PlainAccessHook(const SubfloorKernelThread* thread, uint32_t site, void* address,
                                   uint32_t bytes, uint32_t kind) {
  return address;
}

void* BlockRunner::CheckedAccessHook(const SubfloorKernelThread* thread, uint32_t site, void* address,
                                     uint32_t bytes, uint32_t kind) {
  return Of(thread).runner->checker_->Access(Of(thread), site, address, bytes, kind);
}

}  // namespace subfloor::device::sim
