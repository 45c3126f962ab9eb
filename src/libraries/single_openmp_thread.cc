#include "libraries/single_openmp_thread.h"

#include "libraries/onednn.h"

namespace subfloor::libraries {

SingleOpenMpThread::SingleOpenMpThread() {
  const OneDnn* onednn = OneDnn::Get();
  if (onednn == nullptr || onednn->get_threads == nullptr || onednn->set_threads == nullptr) return;
  saved_ = onednn->get_threads();
  if (saved_ > 1) onednn->set_threads(1);
}

SingleOpenMpThread::~SingleOpenMpThread() {
  if (saved_ > 1) OneDnn::Get()->set_threads(saved_);
}

}  // namespace subfloor::libraries
