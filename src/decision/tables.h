#pragma once

/// The words of every decision: one row a question, one row a fact. Append to the section of the floor that
/// asks. In a fact's sentence {a} and {b} stand for the record's two numbers.

// X(enumerator, what is asked)
#define SUBFLOOR_QUESTIONS(X)                                      \
  /* passes */                                                     \
  X(kFuse, "fuse the producer into the consumer?")                 \
  X(kFuseSiblings, "fuse siblings into one kernel?")               \
  X(kFold, "fold the constant?")                                   \
  X(kSimplifyWhile, "simplify the loop?")                          \
  X(kRunPass, "run the pass?")                                     \
  X(kSelectBranches, "compute both branches and select?")          \
  X(kForeignStamp, "stamped for somebody else's library?")         \
  /* dispatch, in the order in which the CPU asks */               \
  X(kScatterRoot, "a scatter at the root?")                        \
  X(kSortRoot, "a sort at the root?")                              \
  X(kInPlaceUpdate, "an update in place?")                         \
  X(kReductionHero, "a reduction hero?")                           \
  X(kTransposeHero, "a transpose hero?")                           \
  X(kConcatenateHero, "a concatenate hero?")                       \
  X(kLoop, "else a loop")                                          \
  /* dispatch, what the GPU asks besides, in order */              \
  X(kGpuStamp, "a stamp that settles it?")                         \
  X(kGpuReduction, "a reduction hero whose fellow roots fit?")     \
  X(kGpuTranspose, "a tiled transpose hero?")                      \
  X(kGpuManyRoots, "more than one root?")                          \
  X(kGpuConcatenate, "one concatenate hero of few operands?")      \
  X(kGpuCopy, "nothing but copies of parameters?")                 \
  X(kGpuMultiRow, "several rows a warp?")                          \
  X(kGpuSmallColumn, "columns so few that they share a warp?")     \
  X(kGpuPacked, "narrow elements packed into banks?")              \
  X(kGpuIndexRuns, "runs of equal indices added up in registers?") \
  X(kGpuVector, "more than one element a thread at once?")         \
  X(kGpuPlanFits, "does the plan fit the device?")                 \
  /* codegen */                                                    \
  X(kVectorLanes, "how many lanes?")                               \
  X(kWorkgroups, "into how many workgroups?")                      \
  X(kReducerKind, "is the reducer recognised?")                    \
  X(kKernelShared, "an equal kernel already there?")               \
  /* libraries, cpu */                                             \
  X(kDotLibrary, "which library takes the dot?")                   \
  X(kConvolutionLibrary, "which library takes the convolution?")   \
  X(kFftLibrary, "which library takes the transform?")             \
  X(kBufferReuse, "reuse a buffer?")                               \
  X(kAlias, "share the operand's buffer?")                         \
  X(kDonation, "may an output take over the parameter?")           \
  X(kNativeLoop, "one native function for the loop or branch?")

// X(enumerator, sentence)
#define SUBFLOOR_FACTS(X)                                                                                    \
  X(kNone, "")                                                                                               \
  /* passes */                                                                                               \
  X(kExpensiveReuse, "it is expensive and each element would be computed {a} times")                         \
  X(kFusionTooLarge, "the fusion would hold {a} instructions, the limit is {b}")                             \
  X(kNotFusible, "the op is never fused")                                                                    \
  X(kNotElementwiseUse, "the consumer does not read it element by element")                                  \
  X(kOverBudget, "{a} bytes, the budget is {b}")                                                             \
  X(kOnlyConsumer, "one kernel reads it, element by element where that counts")                              \
  X(kCopiedIntoConsumers, "computing it in each of {a} kernels is cheaper than storing it")                  \
  X(kCopiedIntoSome, "computed again in {a} kernels, and once more for other users")                         \
  X(kReadByUnfused, "an op that is no part of a kernel reads it")                                            \
  X(kStoringIsCheaper, "computing it in {a} kernels costs more than storing it")                             \
  X(kReadAcross, "{a} bytes would be read across their minor dimension")                                     \
  X(kOneReductionOnly, "the kernel holds a reduction already, or computes more than the reduction's result") \
  X(kUpdatedInPlace, "the consumer updates it in place")                                                     \
  X(kSameLoop, "equal sizes, a shared operand, and neither needs the other")                                 \
  X(kOtherLoop, "it runs over other sizes, or reduces otherwise")                                            \
  X(kMayDepend, "one may need a result of the other on another way")                                         \
  X(kTripCount, "it runs {a} times, its body holds {b} instructions")                                        \
  X(kUnusedElements, "{a} of its {b} elements decide nothing")                                               \
  X(kHoisted, "{a} values are the same each time round")                                                     \
  X(kSkippedByOption, "number {a} of the passes that came up, named by skip-passes")                         \
  X(kCheapBranches, "{a} elementwise ops on at most {b} elements an array")                                  \
  X(kDearBranches, "a branch is large, or more than elementwise")                                            \
  /* dispatch */                                                                                             \
  X(kRootIs, "the root is one")                                                                              \
  X(kRootIsNot, "the root is none")                                                                          \
  X(kNoHero, "no such op feeds the root element by element")                                                 \
  X(kHeroFound, "found behind {a} elementwise ops")                                                          \
  X(kUnknownStamp, "nobody here owns the stamp; compiled as the computation it holds")                       \
  X(kEmitterRefused, "the emitter of its choice does not take the fusion")                                   \
  X(kNothingElse, "nothing else applies")                                                                    \
  X(kOtherReader, "another op reads the buffer")                                                             \
  /* dispatch on GPUs */                                                                                     \
  X(kStampOwned, "stamped by its backend_config: never inspected")                                           \
  X(kNoStamp, "no backend_config names an owner")                                                            \
  X(kUnreadableStamp, "the backend_config cannot be read and counts as absent")                              \
  X(kForeignWord, "nobody owns the word in the backend_config: inspected like any other")                    \
  X(kReductionFits, "every root is reduced alike or has the {a} elements that are reduced")                  \
  X(kNoReduce, "no reduce feeds a root through one-operand elementwise ops")                                 \
  X(kReduceScattered, "the reduced dimensions lie apart in memory, and so do the kept ones")                 \
  X(kReduceEmpty, "nothing to reduce")                                                                       \
  X(kRowShort, "a row of {a} elements; needs {b}, or a divisor of it")                                       \
  X(kColumnShort, "a column of {a} elements; with so few columns needs {b}")                                 \
  X(kRowLong, "an epilogue, and a row of {a} elements; one block takes {b}")                                 \
  X(kBatchLarge, "an epilogue, and {a} batches to a row; one block takes {b}")                               \
  X(kColumnLong, "an epilogue, and a column of {a} elements; one block takes {b}")                           \
  X(kFellowElements, "a fellow root has {a} elements, the reduction reads {b}")                              \
  X(kFellowReduction, "root {a} is reduced from another shape than the first hero")                          \
  X(kTransposeFits, "dimensions and element width suit tiles of {a} by {a}")                                 \
  X(kNoTranspose, "no transpose feeds a root through elementwise ops")                                       \
  X(kTransposeMovesNothing, "the transpose moves nothing")                                                   \
  X(kNotRowMajor, "its layouts are not row-major")                                                           \
  X(kMinorSmall, "minor dimension {a}, needs {b}")                                                           \
  X(kUnmovedWide, "the minor dimension stays and has {a} bits; at most {b}")                                 \
  X(kUnmovedNarrow, "the minor dimension stays, and with the one above has {a} bits; needs {b}")             \
  X(kFourBits, "elements of 4 bits whose minor dimension moves do better in a loop")                         \
  X(kTransposeShared, "more than one transpose feeds the root, or an op that is not elementwise reads it")   \
  X(kTransposesDiffer, "root {a} is transposed otherwise than the first")                                    \
  X(kFellowNotInput, "root {a} does not have the shape that the transpose reads")                            \
  X(kRoots, "{a} roots")                                                                                     \
  X(kConcatenateFits, "{a} operands")                                                                        \
  X(kTooManyOperands, "{a} operands; at most {b}")                                                           \
  X(kNoConcatenate, "no concatenate feeds the root through elementwise ops")                                 \
  X(kCopies, "every root is a copy of a parameter, in the same layout")                                      \
  X(kNotCopies, "root {a} is no copy of a parameter")                                                        \
  X(kLayoutChanges, "copy {a} changes the layout")                                                           \
  X(kInPlaceFits, "{a} updates of one shape, whose targets are read nowhere else")                           \
  X(kNotAllUpdates, "root {a} is no dynamic-update-slice")                                                   \
  X(kUpdateReadTwice, "update {a} has {b} readers before it is stored")                                      \
  X(kTargetComputed, "the target of update {a} is computed inside, not a parameter")                         \
  X(kOtherSlice, "the target of update {a} is also read as a slice at another place")                        \
  X(kOtherUpdate, "the target of update {a} is also updated by another op")                                  \
  X(kTargetMoved, "the target of update {a} is read by an op that moves elements")                           \
  X(kUpdateShapes, "update {a} has another shape than the first")                                            \
  X(kRowsShareWarp, "rows of {a}, by {b} threads each")                                                      \
  X(kNotPowerOfTwo, "{a} elements are no power of two")                                                      \
  X(kLineForThreads, "lines of {a} for {b} threads: odd, short, or of elements that fill a load")            \
  X(kRowPastWarp, "rows of {a} elements; a warp reads {b}")                                                  \
  X(kColumnsDivideWarp, "{a} columns divide a warp of {b}")                                                  \
  X(kColumnsDoNotDivide, "{a} columns do not divide a warp of {b}")                                          \
  X(kPacksBanks, "tiles of {a} rows and {b} columns")                                                        \
  X(kWideElements, "elements of {a} bits fill a bank of {b}")                                                \
  X(kTileTooEmpty, "a tile would be {a} long one way, needs {b}")                                            \
  X(kTileUnaligned, "rows or columns of a tile are no multiple of the {a} elements of a bank")               \
  X(kMinorStays, "the minor dimension of {a} stays")                                                         \
  X(kSortedRuns, "sorted, and {a} slices for {b} places")                                                    \
  X(kIndicesUnsorted, "the indices are not sorted")                                                          \
  X(kIndicesUnique, "the indices are unique: no runs")                                                       \
  X(kSeveralTargets, "{a} targets at once, which are written one update at a time")                          \
  X(kFewSlices, "{a} slices; worth it above {b}")                                                            \
  X(kRunsOfOne, "{a} slices for {b} places: no run is longer than one")                                      \
  X(kVectorOf, "{a} of {b} bits")                                                                            \
  X(kSmallOutput, "{a} elements do not occupy the device; from {b}")                                         \
  X(kUnrollHurts, "an op inside makes much code or long threads")                                            \
  X(kOddElements, "{a} elements cannot be cut in pairs")                                                     \
  X(kPlanFits, "{a} blocks of {b} threads")                                                                  \
  X(kSharedTooLarge, "{a} bytes of shared memory; a block has {b}")                                          \
  X(kGridTooLarge, "{a} blocks of {b} threads are more than a grid holds")                                   \
  /* codegen */                                                                                              \
  X(kLanes, "{a} lanes of {b} bits")                                                                         \
  X(kElements, "{a} elements in {b} workgroups")                                                             \
  X(kReducerRecognised, "a recognised reducer: its order is free")                                           \
  X(kReducerUnknown, "not a recognised reducer: folded in index order")                                      \
  X(kSameStructure, "same structure as kernel {a}")                                                          \
  /* libraries, cpu */                                                                                       \
  X(kNativeProduct, "our own packed product")                                                                \
  X(kOneDnnProduct, "oneDNN")                                                                                \
  X(kEigenProduct, "Eigen")                                                                                  \
  X(kDepthwise, "our own, a filter at a time")                                                               \
  X(kImplicitProduct, "our own, as a product over windows")                                                  \
  X(kMixedRadix, "our own, {a} transforms of {b} elements")                                                  \
  X(kTypeNotTaken, "no library takes the type")                                                              \
  X(kShapeTooSmall, "{a} multiply-adds, worth a call from {b}")                                              \
  X(kFormNotTaken, "no library takes this form")                                                             \
  X(kLifetimesApart, "lifetimes do not overlap; {a} bytes at offset {b}")                                    \
  X(kDonated, "output {b} begins in its {a} bytes where the caller hands in one buffer for both")            \
  X(kTooManyBuffers, "it would touch more than {a} buffers")                                                 \
  X(kBodySmall, "the body holds {a} small ops")                                                              \
  X(kBodyNotNative, "an op of the body is not native code")
