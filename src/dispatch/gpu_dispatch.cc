#include "dispatch/gpu_dispatch.h"

#include <algorithm>

#include "dispatch/hero.h"
#include "dispatch/in_place_update.h"
#include "dispatch/physical_order.h"

namespace subfloor::dispatch {
namespace {

using decision::Fact;
using decision::Question;
using hlo::Instruction;
using hlo::Opcode;

constexpr int64_t kMostConcatenated = 4;

// One fusion on the way to its answer. Each Try... asks a question, and on yes fills in the choice.
class Chooser {
 public:
  Chooser(FusionView fusion, const device::DeviceDescription& device, Asker ask)
      : device_(device), ask_(ask) {
    choice_.fusion = std::move(fusion);
    for (const Instruction* root : roots()) choice_.heroes.push_back(FindHero(choice_.fusion, root));
  }

  Result<GpuChoice> Choose() {
    if (TryReduction() || TryTranspose()) return Done();
    const auto count = static_cast<int64_t>(roots().size());
    if (ask_(Question::kGpuManyRoots, count > 1, Fact::kRoots, count)) return Loop();
    const Instruction* root = roots()[0];
    const auto root_is = [&](Question question, Opcode opcode) {
      const bool yes = root->opcode() == opcode;
      return ask_(question, yes, yes ? Fact::kRootIs : Fact::kRootIsNot);
    };
    if (root_is(Question::kScatterRoot, Opcode::kScatter)) return Scatter();
    if (root_is(Question::kSortRoot, Opcode::kSort)) return Sort();
    if (TryConcatenate()) return Done();
    return Loop();
  }

  // A loop whatever else would apply.
  Result<GpuChoice> PlainLoop() {
    choice_.heroes.assign(roots().begin(), roots().end());
    ask_(Question::kLoop, true, Fact::kEmitterRefused);
    return ComputedLoop();
  }

 private:
  std::span<const Instruction* const> roots() const { return choice_.fusion.roots(); }
  GpuChoice Done() { return std::move(choice_); }

  bool Fill(GpuKind kind, GpuEmitter emitter, LaunchPlan plan) {
    choice_.kind = kind;
    choice_.emitter = emitter;
    choice_.plan = std::move(plan);
    return true;
  }

  bool No(Question question, Fact fact, int64_t a = 0, int64_t b = 0) {
    return ask_(question, false, fact, a, b);
  }

  // What is wrong with the reduction that the first root with one is built around.
  bool NoReduction() {
    constexpr auto kQuestion = Question::kGpuReduction;
    using What = ReductionProblem::What;
    for (size_t i = 0; i < roots().size(); ++i) {
      const Instruction* end = EndOfChain(choice_.fusion, roots()[i]);
      if (end->opcode() != Opcode::kReduce || !choice_.fusion.Contains(end)) continue;
      const ReductionProblem problem = WhyNoReductionHero(*roots()[i], *end, device_);
      switch (problem.what) {
        case What::kNone:
          break;
        case What::kNotContiguous:
          return No(kQuestion, Fact::kReduceScattered);
        case What::kEmpty:
          return No(kQuestion, Fact::kReduceEmpty);
        case What::kRowTooShort:
          return No(kQuestion, Fact::kRowShort, problem.found, problem.wanted);
        case What::kColumnTooShort:
          return No(kQuestion, Fact::kColumnShort, problem.found, problem.wanted);
        case What::kRowTooLong:
          return No(kQuestion, Fact::kRowLong, problem.found, problem.wanted);
        case What::kBatchTooLarge:
          return No(kQuestion, Fact::kBatchLarge, problem.found, problem.wanted);
        case What::kColumnTooLong:
          return No(kQuestion, Fact::kColumnLong, problem.found, problem.wanted);
      }
    }
    return No(kQuestion, Fact::kNoReduce);
  }

  bool IsReductionHero(size_t i) const {
    return choice_.heroes[i]->opcode() == Opcode::kReduce &&
           WhyNoReductionHero(*roots()[i], *choice_.heroes[i], device_).what == ReductionProblem::What::kNone;
  }

  bool TryReduction() {
    size_t first = 0;
    while (first < roots().size() && !IsReductionHero(first)) ++first;
    if (first == roots().size()) return NoReduction();
    const Instruction* hero = choice_.heroes[first];
    const int64_t reduced = hero->operand(0)->shape().element_count();
    for (size_t i = 0; i < roots().size(); ++i) {
      if (roots()[i] == hero) continue;
      if (IsReductionHero(i)) {
        if (ReductionShapeOf(*choice_.heroes[i]) != ReductionShapeOf(*hero)) {
          return No(Question::kGpuReduction, Fact::kFellowReduction, static_cast<int64_t>(i));
        }
        continue;
      }
      const Shape& shape = roots()[i]->shape();
      const int64_t elements = shape.IsArray() ? shape.element_count() : 0;
      if (elements != reduced) return No(Question::kGpuReduction, Fact::kFellowElements, elements, reduced);
    }
    ask_(Question::kGpuReduction, true, Fact::kReductionFits, reduced);
    return std::visit(
        [&](auto&& plan) {
          using Plan = std::decay_t<decltype(plan)>;
          if constexpr (std::is_same_v<Plan, std::monostate>) {
            return false;
          } else {
            return Fill(GpuKind::kReduction, EmitterOf(plan), std::move(plan));
          }
        },
        PlanReduction(choice_.fusion, choice_.heroes, *hero, device_, ask_));
  }
  static GpuEmitter EmitterOf(const RowReductionPlan&) { return GpuEmitter::kReductionRow; }
  static GpuEmitter EmitterOf(const MultiRowReductionPlan&) { return GpuEmitter::kReductionMultiRow; }
  static GpuEmitter EmitterOf(const ColumnReductionPlan&) { return GpuEmitter::kReductionColumn; }
  static GpuEmitter EmitterOf(const SmallColumnReductionPlan&) { return GpuEmitter::kReductionSmallColumn; }

  bool NoTranspose() {
    constexpr auto kQuestion = Question::kGpuTranspose;
    using What = TransposeProblem::What;
    for (const Instruction* root : roots()) {
      const Instruction* nearest = NearestTranspose(choice_.fusion, root);
      if (!nearest) continue;
      const TransposeProblem problem = WhyNoTiledTranspose(*nearest);
      switch (problem.what) {
        case What::kNone:
          return No(kQuestion, Fact::kTransposeShared);
        case What::kNotTransposed:
          return No(kQuestion, Fact::kTransposeMovesNothing);
        case What::kNotRowMajor:
          return No(kQuestion, Fact::kNotRowMajor);
        case What::kMinorTooSmall:
          return No(kQuestion, Fact::kMinorSmall, problem.found, problem.wanted);
        case What::kUnmovedTooWide:
          return No(kQuestion, Fact::kUnmovedWide, problem.found, problem.wanted);
        case What::kUnmovedTooNarrow:
          return No(kQuestion, Fact::kUnmovedNarrow, problem.found, problem.wanted);
        case What::kFourBits:
          return No(kQuestion, Fact::kFourBits);
      }
    }
    return No(kQuestion, Fact::kNoTranspose);
  }

  bool TryTranspose() {
    std::optional<TransposeShape> shape;
    for (size_t i = 0; i < roots().size(); ++i) {
      const std::optional<TransposeShape> of_root = TiledTranspose(*choice_.heroes[i]);
      if (!of_root) continue;
      if (!shape) shape = of_root;
      if (!shape->SameTiles(*of_root)) {
        return No(Question::kGpuTranspose, Fact::kTransposesDiffer, static_cast<int64_t>(i));
      }
    }
    if (!shape) return NoTranspose();
    const Shape& input = shape->transpose->operand(0)->shape();
    for (size_t i = 0; i < roots().size(); ++i) {
      if (TiledTranspose(*choice_.heroes[i])) continue;
      if (!SameBytesInOrder(roots()[i]->shape(), input)) {
        return No(Question::kGpuTranspose, Fact::kFellowNotInput, static_cast<int64_t>(i));
      }
    }
    ask_(Question::kGpuTranspose, true, Fact::kTransposeFits, 32);
    auto plan = PlanTranspose(choice_.fusion, choice_.heroes, *shape, device_, ask_);
    if (auto* tiled = std::get_if<TiledTransposePlan>(&plan)) {
      return Fill(GpuKind::kTranspose, GpuEmitter::kTransposeTiled, std::move(*tiled));
    }
    if (auto* packed = std::get_if<PackedTransposePlan>(&plan)) {
      return Fill(GpuKind::kTranspose, GpuEmitter::kTransposePacked, std::move(*packed));
    }
    return false;
  }

  bool TryConcatenate() {
    const Instruction* hero = choice_.heroes[0];
    constexpr auto kQuestion = Question::kGpuConcatenate;
    if (hero->opcode() != Opcode::kConcatenate) return No(kQuestion, Fact::kNoConcatenate);
    const int64_t operands = hero->operand_count();
    if (operands > kMostConcatenated)
      return No(kQuestion, Fact::kTooManyOperands, operands, kMostConcatenated);
    ask_(kQuestion, true, Fact::kConcatenateFits, operands);
    auto plan = PlanConcatenate(choice_.fusion, *hero, device_, ask_);
    return plan && Fill(GpuKind::kConcatenate, GpuEmitter::kConcatenate, std::move(*plan));
  }

  Result<GpuChoice> Scatter() {
    ScatterPlan plan = SF_TRY(PlanScatter(choice_.fusion, *roots()[0], device_, ask_));
    const GpuEmitter emitter =
        plan.per_index_run ? GpuEmitter::kScatterPerIndexRun : GpuEmitter::kScatterPerUpdate;
    Fill(GpuKind::kScatter, emitter, std::move(plan));
    return Done();
  }

  Result<GpuChoice> Sort() {
    auto plan = PlanSort(*roots()[0], device_, ask_);
    if (!plan) return TooLarge();
    Fill(GpuKind::kSort, GpuEmitter::kSort, std::move(*plan));
    return Done();
  }

  bool OnlyCopies() {
    for (size_t i = 0; i < roots().size(); ++i) {
      const Instruction* root = roots()[i];
      if (root->opcode() != Opcode::kCopy || !choice_.fusion.Contains(root) ||
          choice_.fusion.Contains(choice_.fusion.Resolve(root->operand(0)))) {
        return No(Question::kGpuCopy, Fact::kNotCopies, static_cast<int64_t>(i));
      }
      if (PhysicalOrder(root->shape()) != PhysicalOrder(root->operand(0)->shape())) {
        return No(Question::kGpuCopy, Fact::kLayoutChanges, static_cast<int64_t>(i));
      }
    }
    return ask_(Question::kGpuCopy, true, Fact::kCopies);
  }

  bool InPlace(std::vector<const Instruction*>& updates) {
    constexpr auto kQuestion = Question::kInPlaceUpdate;
    using What = InPlaceProblem::What;
    const InPlaceProblem problem = WhyNotInPlace(choice_.fusion, updates);
    switch (problem.what) {
      case What::kNone:
        return ask_(kQuestion, true, Fact::kInPlaceFits, static_cast<int64_t>(updates.size()));
      case What::kNotAllUpdates:
        return No(kQuestion, Fact::kNotAllUpdates, problem.number);
      case What::kReadTwice:
        return No(kQuestion, Fact::kUpdateReadTwice, problem.number, problem.found);
      case What::kTargetComputed:
        return No(kQuestion, Fact::kTargetComputed, problem.number);
      case What::kOtherSlice:
        return No(kQuestion, Fact::kOtherSlice, problem.number);
      case What::kOtherUpdate:
        return No(kQuestion, Fact::kOtherUpdate, problem.number);
      case What::kTargetMoved:
        return No(kQuestion, Fact::kTargetMoved, problem.number);
      case What::kShapesDiffer:
        return No(kQuestion, Fact::kUpdateShapes, problem.number);
    }
    return false;
  }

  Result<GpuChoice> Loop() {
    choice_.heroes.assign(roots().begin(), roots().end());
    ask_(Question::kLoop, true, Fact::kNothingElse);
    if (OnlyCopies()) {
      Fill(GpuKind::kLoop, GpuEmitter::kMemcpy, std::monostate());
      return Done();
    }
    std::vector<const Instruction*> updates;
    if (InPlace(updates)) {
      auto plan = PlanInPlaceUpdate(choice_.fusion, updates, device_, ask_);
      if (plan) {
        choice_.heroes = std::move(updates);
        Fill(GpuKind::kLoop, GpuEmitter::kInPlaceUpdate, std::move(*plan));
        return Done();
      }
    }
    return ComputedLoop();
  }

  Result<GpuChoice> ComputedLoop() {
    // A loop computes one element from others; these two write where their data says.
    for (const Instruction* root : roots()) {
      if (root->opcode() == Opcode::kScatter || root->opcode() == Opcode::kSort) {
        return NotSupported("%{} ({}) beside other roots; as a fusion of its own it would work", root->name(),
                            hlo::ToString(root->opcode()));
      }
    }
    auto plan = PlanLoop(choice_.fusion, device_, ask_);
    if (!plan) return TooLarge();
    Fill(GpuKind::kLoop, GpuEmitter::kLoop, std::move(*plan));
    return Done();
  }

  std::unexpected<Error> TooLarge() const {
    return NotSupported("%{} is {}: no grid of {} holds that many threads", roots()[0]->name(),
                        roots()[0]->shape().ToString(false), device_.name);
  }

  const device::DeviceDescription& device_;
  const Asker ask_;
  GpuChoice choice_;
};

// A stamp settles who compiles it; what the body looks like is nobody's business here.
GpuChoice Stamped(FusionView fusion, GpuStamp stamp) {
  GpuChoice choice;
  choice.kind = *stamp.kind;
  choice.stamp = std::move(stamp.word);
  choice.heroes.assign(fusion.roots().begin(), fusion.roots().end());
  choice.fusion = std::move(fusion);
  choice.emitter = choice.kind == GpuKind::kTriton  ? GpuEmitter::kTriton
                   : choice.kind == GpuKind::kCudnn ? GpuEmitter::kCudnn
                                                    : GpuEmitter::kCustom;
  return choice;
}

}  // namespace

const Launch* FirstLaunch(const LaunchPlan& plan) {
  return std::visit(
      [](const auto& of_kind) -> const Launch* {
        using Plan = std::decay_t<decltype(of_kind)>;
        if constexpr (std::is_same_v<Plan, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<Plan, SortPlan>) {
          return of_kind.kernels.empty() ? nullptr : &of_kind.kernels[0].launch;
        } else {
          return &of_kind.launch;
        }
      },
      plan);
}

Result<GpuChoice> ChooseGpuEmitter(const Instruction& instruction, const device::DeviceDescription& device,
                                   decision::Log* log) {
  const Asker ask{log, instruction.id()};
  if (instruction.opcode() != Opcode::kFusion) {
    ask(Question::kGpuStamp, false, Fact::kNoStamp);
    return Chooser(FusionView::OfInstruction(instruction), device, ask).Choose();
  }
  FusionView fusion = FusionView::OfBody(*instruction.called());
  GpuStamp stamp = ReadGpuStamp(instruction);
  if (stamp.kind) {
    ask(Question::kGpuStamp, true, Fact::kStampOwned);
    return Stamped(std::move(fusion), std::move(stamp));
  }
  ask(Question::kGpuStamp, false,
      !stamp.readable       ? Fact::kUnreadableStamp
      : !stamp.word.empty() ? Fact::kForeignWord
                            : Fact::kNoStamp);
  if (fusion.roots().empty()) return NotSupported("a fusion without results");
  return Chooser(std::move(fusion), device, ask).Choose();
}

Result<GpuChoice> ChooseGpuEmitter(const hlo::Computation& body, int64_t instruction,
                                   const device::DeviceDescription& device, decision::Log* log) {
  const Asker ask{log, instruction};
  ask(Question::kGpuStamp, false, Fact::kNoStamp);
  FusionView fusion = FusionView::OfBody(body);
  if (fusion.roots().empty()) return NotSupported("a fusion without results");
  return Chooser(std::move(fusion), device, ask).Choose();
}

Result<GpuChoice> FallBackToLoop(const Instruction& fusion, const device::DeviceDescription& device,
                                 decision::Log* log) {
  return Chooser(FusionView::OfBody(*fusion.called()), device, {log, fusion.id()}).PlainLoop();
}

bool IsFusibleAlone(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBitcastConvert:
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kConvolution:
    case Opcode::kDot:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kIota:
    case Opcode::kMap:
    case Opcode::kPad:
    case Opcode::kReduce:
    case Opcode::kReducePrecision:
    case Opcode::kReduceWindow:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kScatter:
    case Opcode::kSlice:
    case Opcode::kSort:
    case Opcode::kStochasticConvert:
    case Opcode::kTranspose:
      return true;
    default:
      return hlo::IsElementwise(opcode);
  }
}

}  // namespace subfloor::dispatch
