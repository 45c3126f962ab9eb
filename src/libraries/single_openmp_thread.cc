#include "libraries/single_openmp_thread.h"

#include <dlfcn.h>

namespace subfloor::libraries {
namespace {

// oneDNN brings its OpenMP runtime along; a build of it without OpenMP has no such functions, and then there
// is no need.
struct Functions {
  int (*get)() = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
  void (*set)(int) = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
};

const Functions& OpenMp() {
  static const Functions functions;
  return functions;
}

}  // namespace

SingleOpenMpThread::SingleOpenMpThread() : saved_(OpenMp().get && OpenMp().set ? OpenMp().get() : 0) {
  if (saved_ > 1) OpenMp().set(1);
}

SingleOpenMpThread::~SingleOpenMpThread() {
  if (saved_ > 1) OpenMp().set(saved_);
}

}  // namespace subfloor::libraries
