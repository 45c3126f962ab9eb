#pragma once

/// The words of every decision: one row a question, one row a fact. Append to the section of the floor that
/// asks. In a fact's sentence {a} and {b} stand for the record's two numbers.

// X(enumerator, what is asked)
#define SUBFLOOR_QUESTIONS(X)                                    \
  /* passes */                                                   \
  X(kFuse, "fuse the producer into the consumer?")               \
  X(kFuseSiblings, "fuse siblings into one kernel?")             \
  X(kFold, "fold the constant?")                                 \
  X(kSimplifyWhile, "simplify the loop?")                        \
  /* dispatch, in the order in which the CPU asks */             \
  X(kForeignStamp, "stamped for somebody else's library?")       \
  X(kScatterRoot, "a scatter at the root?")                      \
  X(kSortRoot, "a sort at the root?")                            \
  X(kInPlaceUpdate, "an update in place?")                       \
  X(kReductionHero, "a reduction hero?")                         \
  X(kTransposeHero, "a transpose hero?")                         \
  X(kConcatenateHero, "a concatenate hero?")                     \
  X(kLoop, "else a loop")                                        \
  /* codegen */                                                  \
  X(kVectorLanes, "how many lanes?")                             \
  X(kWorkgroups, "into how many workgroups?")                    \
  X(kReducerKind, "is the reducer recognised?")                  \
  X(kKernelShared, "an equal kernel already there?")             \
  /* runtime, cpu */                                             \
  X(kDotLibrary, "which library takes the dot?")                 \
  X(kConvolutionLibrary, "which library takes the convolution?") \
  X(kBufferReuse, "reuse a buffer?")                             \
  X(kAlias, "share the operand's buffer?")                       \
  X(kDonation, "may an output take over the parameter?")         \
  X(kNativeLoop, "one native function for the loop or branch?")

// X(enumerator, sentence)
#define SUBFLOOR_FACTS(X)                                                                                    \
  X(kNone, "")                                                                                               \
  /* passes */                                                                                               \
  X(kCheapProducer, "the producer is cheap and its elements are read once")                                  \
  X(kExpensiveReuse, "it is expensive and each element would be computed {a} times")                         \
  X(kFusionTooLarge, "the fusion would hold {a} instructions, the limit is {b}")                             \
  X(kNotFusible, "the op is never fused")                                                                    \
  X(kNotElementwiseUse, "the consumer does not read it element by element")                                  \
  X(kOverBudget, "{a} bytes, the budget is {b}")                                                             \
  X(kOnlyConsumer, "one kernel reads it, element by element where that counts")                              \
  X(kCopiedIntoConsumers, "computing it in each of {a} kernels is cheaper than storing it")                  \
  X(kReadByUnfused, "an op that is no part of a kernel reads it")                                            \
  X(kStoringIsCheaper, "computing it in {a} kernels costs more than storing it")                             \
  X(kReadAcross, "{a} bytes would be read across their minor dimension")                                     \
  X(kOneReductionOnly, "the kernel holds a reduction already, or computes more than the reduction's result") \
  X(kUpdatedInPlace, "the consumer updates it in place")                                                     \
  X(kSameLoop, "equal sizes, a shared operand, and neither needs the other")                                 \
  X(kTripCount, "it runs {a} times, its body holds {b} instructions")                                        \
  X(kUnusedElements, "{a} of its {b} elements decide nothing")                                               \
  X(kHoisted, "{a} values are the same each time round")                                                     \
  /* dispatch */                                                                                             \
  X(kRootIs, "the root is one")                                                                              \
  X(kRootIsNot, "the root is none")                                                                          \
  X(kNoHero, "no such op feeds the root element by element")                                                 \
  X(kHeroFound, "found behind {a} elementwise ops")                                                          \
  X(kUnknownStamp, "nobody here owns the stamp; compiled as the computation it holds")                       \
  X(kNothingElse, "nothing else applies")                                                                    \
  X(kOtherReader, "another op reads the buffer")                                                             \
  /* codegen */                                                                                              \
  X(kLanes, "{a} lanes of {b} bits")                                                                         \
  X(kElements, "{a} elements in {b} workgroups")                                                             \
  X(kReducerRecognised, "a recognised reducer: its order is free")                                           \
  X(kReducerUnknown, "not a recognised reducer: folded in index order")                                      \
  X(kSameStructure, "same structure as kernel {a}")                                                          \
  /* runtime, cpu */                                                                                         \
  X(kTypeTaken, "the library takes the type")                                                                \
  X(kTypeNotTaken, "no library takes the type")                                                              \
  X(kShapeTooSmall, "{a} multiply-adds, worth a call from {b}")                                              \
  X(kFormNotTaken, "no library takes this form")                                                             \
  X(kLifetimesApart, "lifetimes do not overlap; {a} bytes at offset {b}")                                    \
  X(kDonated, "output {b} begins in its {a} bytes where the caller hands in one buffer for both")            \
  X(kBodySmall, "the body holds {a} small ops")                                                              \
  X(kBodyNotNative, "an op of the body is not native code")
