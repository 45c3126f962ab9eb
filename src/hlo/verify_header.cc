#include <set>
#include <vector>

#include "hlo/verify_parts.h"

namespace subfloor::hlo::verify {
namespace {

std::string IndexText(std::span<const int64_t> index) { return fmt::format("{{{}}}", fmt::join(index, ",")); }

// The entry's parameters and result are what callers see, or, in the layout normal form, the row-major arrays
// of the same bytes: dimensions in the order in which the caller's layout has them, slowest first.
bool SameOrSameBytes(const Shape& seen, const Shape& inside) {
  if (seen.Compatible(inside)) return true;
  std::vector<std::pair<const Shape*, const Shape*>> pending = {{&seen, &inside}};
  while (!pending.empty()) {
    const auto [outer, inner] = pending.back();
    pending.pop_back();
    const Shape &a = *outer, &b = *inner;
    if (a.element_type() != b.element_type() || a.tuple_size() != b.tuple_size() || a.rank() != b.rank())
      return false;
    if (a.IsTuple()) {
      for (int64_t i = 0; i < a.tuple_size(); ++i) pending.emplace_back(&a.tuple_shape(i), &b.tuple_shape(i));
      continue;
    }
    if (a.Compatible(b)) continue;
    if (!a.IsArray() || a.layout() == nullptr ||
        static_cast<int64_t>(a.layout()->minor_to_major.size()) != a.rank())
      return false;
    for (int64_t d = 0; d < a.rank(); ++d) {
      if (b.dimension(a.rank() - 1 - d) != a.dimension(a.layout()->minor_to_major[static_cast<size_t>(d)]))
        return false;
    }
  }
  return true;
}

Status CheckEntryLayout(const Module& module) {
  const EntryLayout& layout = *module.header().entry_layout;
  const Computation& entry = *module.entry();
  if (static_cast<int64_t>(layout.parameters.size()) != entry.parameter_count()) {
    return BadInput("entry_computation_layout has {} parameters; the entry, %{}, has {}",
                    layout.parameters.size(), entry.name(), entry.parameter_count());
  }
  for (int64_t i = 0; i < entry.parameter_count(); ++i) {
    const Shape& wanted = layout.parameters[static_cast<size_t>(i)];
    if (!SameOrSameBytes(wanted, entry.parameter(i)->shape())) {
      return At(*entry.parameter(i),
                Error(ErrorKind::kBadInput,
                      fmt::format("parameter {} is {}, but {} in entry_computation_layout", i,
                                  entry.parameter(i)->shape().ToString(false), wanted.ToString(false))));
    }
  }
  if (!SameOrSameBytes(layout.result, entry.root()->shape())) {
    return At(*entry.root(),
              Error(ErrorKind::kBadInput,
                    fmt::format("the result is {}, but {} in entry_computation_layout",
                                entry.root()->shape().ToString(false), layout.result.ToString(false))));
  }
  return {};
}

// The leaf of a parameter that an alias or a donor names.
Result<const Shape*> ParameterLeaf(const Module& module, std::string_view table, int64_t parameter,
                                   std::span<const int64_t> index) {
  const Computation& entry = *module.entry();
  if (parameter < 0 || parameter >= entry.parameter_count()) {
    return BadInput("{} names parameter {}; the entry has {}", table, parameter, entry.parameter_count());
  }
  const Shape* leaf = SubshapeAt(entry.parameter(parameter)->shape(), index);
  if (leaf == nullptr || !leaf->IsArray()) {
    return BadInput("{} names {} of parameter {}, {}; there is no array", table, IndexText(index), parameter,
                    entry.parameter(parameter)->shape().ToString(false));
  }
  return leaf;
}

}  // namespace

Status CheckHeader(const Module& module) {
  const ModuleHeader& header = module.header();
  if (header.entry_layout) SF_CHECK(CheckEntryLayout(module));
  const Shape& result = module.entry()->root()->shape();
  std::set<ShapeIndex> outputs;
  std::set<std::pair<int64_t, ShapeIndex>> parameters;
  for (const InputOutputAlias& alias : header.input_output_alias) {
    const Shape* from =
        SF_TRY(ParameterLeaf(module, "input_output_alias", alias.parameter, alias.parameter_index));
    const Shape* to = SubshapeAt(result, alias.output_index);
    if (to == nullptr || !to->IsArray()) {
      return BadInput("input_output_alias names {} of the result, {}; there is no array",
                      IndexText(alias.output_index), result.ToString(false));
    }
    if (from->byte_size() != to->byte_size()) {
      return BadInput(
          "input_output_alias puts {} of parameter {}, {}, at {} of the result, {}; the sizes must be equal",
          IndexText(alias.parameter_index), alias.parameter, from->ToString(false),
          IndexText(alias.output_index), to->ToString(false));
    }
    if (!outputs.insert(alias.output_index).second) {
      return BadInput("input_output_alias names {} of the result twice", IndexText(alias.output_index));
    }
    if (!parameters.emplace(alias.parameter, alias.parameter_index).second) {
      return BadInput("input_output_alias names {} of parameter {} twice", IndexText(alias.parameter_index),
                      alias.parameter);
    }
  }
  for (const BufferDonor& donor : header.buffer_donor) {
    SF_CHECK(ParameterLeaf(module, "buffer_donor", donor.parameter, donor.parameter_index));
    if (!parameters.emplace(donor.parameter, donor.parameter_index).second) {
      return BadInput("buffer_donor names {} of parameter {}, which is named already",
                      IndexText(donor.parameter_index), donor.parameter);
    }
  }
  return {};
}

}  // namespace subfloor::hlo::verify
