#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <cfenv>
#endif

namespace subfloor::runtime {

/// While it lives, this thread rounds to nearest, keeps subnormals and traps nothing, as the numeric contract
/// wants; then the caller's settings are back.
class DefaultFloatEnvironment {
 public:
#if defined(__x86_64__)
  DefaultFloatEnvironment() : saved_(_mm_getcsr()) { _mm_setcsr(kDefault); }
  ~DefaultFloatEnvironment() { _mm_setcsr(saved_); }
#else
  DefaultFloatEnvironment() {
    fegetenv(&saved_);
    fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { fesetenv(&saved_); }
#endif
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr unsigned kDefault =
      0x1f80;  // MXCSR after reset: all exceptions masked, nearest, no FTZ, no DAZ
  unsigned saved_;
#else
  fenv_t saved_;
#endif
};

}  // namespace subfloor::runtime
