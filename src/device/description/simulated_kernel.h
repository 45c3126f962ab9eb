#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace subfloor::device {

/// A place in a simulated kernel that calls the simulator: what findings and counters are attached to. An
/// access to memory at one site always has the same kind and the same number of bytes.
struct SimulatedSite {
  std::string op = {};           ///< what is done, "load"
  std::string instruction = {};  ///< name of the HLO instruction it is done for, without the %; may be empty
  std::string source = {};       ///< "file:line:column"; may be empty
  int argument = -1;             ///< the kernel argument that it may access; -1: any of them
};

/// What the simulator must know of a kernel besides its code. A kernel has two images with a plan each: a
/// fast one, of plain loads and stores, and a checked one, which calls SubfloorThreadHooks::access before
/// each.
///
/// How it is called (SubfloorKernelCall): `workgroup_id` is the block and `workgroup_count` the grid. One
/// call is one thread, whose `thread->thread_id` is set; with `whole_block` one call runs all threads of the
/// block, in loops of its own, and finds only `shared` in `thread`.
struct SimulatedKernelPlan {
  std::string symbol = {};
  bool checked = false;
  bool synchronises = false;           ///< barriers or shuffles: each thread needs a stack of its own
  bool whole_block = false;            ///< neither checked nor synchronising
  std::array<uint64_t, 3> grid = {};   ///< that it was made for; 0: whatever the launch says
  std::array<uint64_t, 3> block = {};  ///< likewise
  uint64_t shared_bytes = 0;
  std::vector<SimulatedSite> sites = {};  ///< by site number
};

}  // namespace subfloor::device
