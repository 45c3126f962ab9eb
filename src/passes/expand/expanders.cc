#include "passes/expand/expanders.h"

#include "passes/expand/async_calls.h"
#include "passes/expand/batch_norm.h"
#include "passes/expand/cheap_conditional.h"
#include "passes/expand/cholesky.h"
#include "passes/expand/dots.h"
#include "passes/expand/dynamic_index.h"
#include "passes/expand/lone_collectives.h"
#include "passes/expand/map.h"
#include "passes/expand/rng.h"
#include "passes/expand/rng_bit_generator.h"
#include "passes/expand/scan.h"
#include "passes/expand/select_and_scatter.h"
#include "passes/expand/stochastic_convert.h"
#include "passes/expand/topk.h"
#include "passes/expand/triangular_solve.h"

namespace subfloor::passes {

std::vector<Pass> Expanders() {
  return {
      {"expand-async-calls", ExpandAsyncCalls, "makes asynchronous halves one operation"},
      {"expand-lone-collectives", ExpandLoneCollectives, "drops collectives in which nobody else takes part"},
      {"expand-scan", ExpandScan, "makes scans loops"},
      {"expand-map", ExpandMap, "applies a map's function to whole arrays"},
      {"expand-cheap-conditional", ExpandCheapConditional, "computes both branches where that is cheap"},
      {"expand-batch-norm", ExpandBatchNorm, "makes batch norms reductions"},
      {"expand-topk", ExpandTopK, "makes topk a sort"},
      {"expand-select-and-scatter", ExpandSelectAndScatter,
       "makes select-and-scatter a window search and a scatter"},
      {"expand-cholesky", ExpandCholesky, "makes cholesky a loop over columns"},
      {"expand-triangular-solve", ExpandTriangularSolve, "makes triangular-solve a loop over rows"},
      {"expand-dots", ExpandDots, "makes ragged and scaled dots plain ones"},
      {"expand-rng", ExpandRng, "makes random numbers random bits"},
      {"expand-rng-bit-generator", ExpandRngBitGenerator, "makes random bits integer arithmetic"},
      {"expand-stochastic-convert", ExpandStochasticConvert, "makes stochastic-convert arithmetic"},
      {"expand-dynamic-index", ExpandDynamicIndex, "gives dynamic slices scalar starts"},
  };
}

}  // namespace subfloor::passes
