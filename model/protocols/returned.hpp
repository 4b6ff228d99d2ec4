// Blocks that other threads give back to their owner, which ends while some are still in use.
//
// Scripts    owner: m take what has come back, P end: the memory stays until the last block has come back. Thieves: + give back a block.
// Properties all memory is freed once, after the last thread is through with its block; what a giver wrote is visible to the owner and to the
//            thread that frees; no block is lost.
#pragma once

#include <algorithm>
#include <array>

#include <pilfer/detail/protocol/returned_blocks.hpp>

#include "model/model_sync.hpp"
#include "protocols/orders.hpp"
#include "verify/run.hpp"

namespace pilfer::model::protocols {

enum class return_fault : std::uint8_t {
  none,
  counted_before,  // the owner counts what is missing before it abandons them
  freed_by_owner,  // the owner frees the memory when it ends
};

template <return_fault Fault = return_fault::none>
class return_scenario {
 public:
  explicit return_scenario(const verify::run& what) : run_(&what) {
    for (const std::string& each : what.thieves)
      missing_ += static_cast<std::size_t>(std::count(each.begin(), each.end(), '+'));
    memory_ = new (model_sync::allocate(sizeof(memory), alignof(memory))) memory;
  }

  void thread(std::size_t number) {
    const std::string& script = number == 0 ? run_->owner : run_->thieves[number - 1];
    for (std::size_t i = 0; i < script.size(); ++i) {
      phase(i);
      switch (script[i]) {
        case '+': give(most_steps * (number - 1) + i); break;
        case 'm': take(memory_->returned.take()); break;
        default: end(); break;
      }
    }
  }
  void finish() { require(frees_ == 1, "the memory was freed once"); }

 private:
  static constexpr std::size_t most_steps = 2;
  static constexpr std::size_t most_thieves = 3;
  struct block {
    model_sync::cell<block*> next;
    model_sync::cell<int> used;
  };
  struct memory {
    pilfer::detail::returned_blocks<model_sync, block, return_variable> returned;
    std::array<block, most_steps * most_thieves> blocks;
  };

  void give(std::size_t which) {
    memory& of = *memory_;
    of.blocks[which].used.set(1);
    if (of.returned.give(of.blocks[which])) free();
  }
  void take(block* first) {
    for (block* each = first; each != nullptr; each = each->next.get()) {
      require(each->used.get() == 1, "what the giver wrote is visible");
      --missing_;
    }
  }
  void end() {
    const std::size_t before = missing_;
    take(memory_->returned.abandon());
    const bool is_last = memory_->returned.end(Fault == return_fault::counted_before ? before : missing_);
    if (is_last || Fault == return_fault::freed_by_owner) free();
  }
  void free() {
    ++frees_;
    require(frees_ == 1, "the memory was freed once");
    memory_->~memory();
    model_sync::deallocate(memory_, alignof(memory));
  }

  const verify::run* run_;
  memory* memory_ = nullptr;
  std::size_t missing_ = 0;
  int frees_ = 0;
};

}  // namespace pilfer::model::protocols
