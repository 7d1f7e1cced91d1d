// The table of functions for a JIT.
#include "partita/Runtime/World.h"

const std::vector<std::pair<const char *, void *>> &partita::runtime::getSymbols() {
#define SYMBOL(name)                                                                     \
  { #name, reinterpret_cast<void *>(&name) }
  static const std::vector<std::pair<const char *, void *>> symbols = {
      SYMBOL(partita_dot_general),
      SYMBOL(partita_ragged_dot),
      SYMBOL(partita_sort),
      SYMBOL(partita_gather),
      SYMBOL(partita_scatter),
      SYMBOL(partita_reduce_window),
      SYMBOL(partita_select_and_scatter),
      SYMBOL(partita_convolution),
      SYMBOL(partita_rng_bit_generator),
      SYMBOL(partita_rng),
      SYMBOL(partita_fft),
      SYMBOL(partita_cholesky),
      SYMBOL(partita_triangular_solve),
      SYMBOL(partita_lapack),
      SYMBOL(partita_unknown_call),
      SYMBOL(partita_top_k),
      SYMBOL(partita_elementwise),
      SYMBOL(partita_all_reduce),
      SYMBOL(partita_all_gather),
      SYMBOL(partita_reduce_scatter),
      SYMBOL(partita_all_to_all),
      SYMBOL(partita_permute),
      SYMBOL(partita_broadcast),
      SYMBOL(partita_exchange),
      SYMBOL(partita_ragged_all_to_all),
      SYMBOL(partita_axis_index),
      SYMBOL(partita_start),
      SYMBOL(partita_done),
      SYMBOL(partita_fail),
      SYMBOL(partita_arena),
      SYMBOL(partita_arena_bytes),
      SYMBOL(partita_device_id),
      SYMBOL(partita_device_count),
  };
#undef SYMBOL
  return symbols;
}
