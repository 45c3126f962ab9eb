#pragma once

namespace subfloor::libraries {

/// While it lives, OpenMP regions that this thread opens in oneDNN have one thread: the tiles are ours to
/// spread.
class SingleOpenMpThread {
 public:
  SingleOpenMpThread();
  ~SingleOpenMpThread();
  SingleOpenMpThread(const SingleOpenMpThread&) = delete;
  SingleOpenMpThread& operator=(const SingleOpenMpThread&) = delete;

 private:
  int saved_ = 0;
};

}  // namespace subfloor::libraries
