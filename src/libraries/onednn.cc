#include "libraries/onednn.h"

#include <dlfcn.h>

#include <initializer_list>

namespace subfloor::libraries {
namespace {

const OneDnn* Open() {
  for (const char* name : {"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so"}) {
    void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    static OneDnn functions;
    // Looked up in the library and what it depends on.
    functions.sgemm = reinterpret_cast<decltype(functions.sgemm)>(dlsym(library, "dnnl_sgemm"));
    functions.get_threads =
        reinterpret_cast<decltype(functions.get_threads)>(dlsym(library, "omp_get_max_threads"));
    functions.set_threads =
        reinterpret_cast<decltype(functions.set_threads)>(dlsym(library, "omp_set_num_threads"));
    if (functions.sgemm != nullptr) return &functions;
  }
  return nullptr;
}

}  // namespace

const OneDnn* OneDnn::Get() {
  static const OneDnn* const functions = Open();
  return functions;
}

}  // namespace subfloor::libraries
