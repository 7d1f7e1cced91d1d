// spmd.runtime_call: verifier and effects.

#include "dialects/SPMD/SPMD.h"

using namespace mlir;

namespace partita::spmd {
namespace {

/// What collectives order themselves by.
struct CommunicationResource
    : SideEffects::Resource::Base<CommunicationResource> {
  StringRef getName() final { return "Communication"; }
};

} // namespace

LogicalResult RuntimeCallOp::verify() {
  bool onTensors = llvm::any_of(getOutputs(), [](Value output) {
    return isa<TensorType>(output.getType());
  });
  size_t expected = onTensors ? getOutputs().size() : 0;
  if (getNumResults() != expected)
    return emitOpError() << "has " << getNumResults() << " results, but "
                         << expected << " of its outputs are tensors";
  for (auto [index, output, result] :
       llvm::enumerate(getOutputs().take_front(expected), getResults()))
    if (output.getType() != result.getType())
      return emitOpError() << "result #" << index << " is " << result.getType()
                           << ", its output is " << output.getType();
  return success();
}

void RuntimeCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &input : getInputsMutable())
    if (isa<MemRefType>(input.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &input,
                           SideEffects::DefaultResource::get());
  for (OpOperand &output : getOutputsMutable())
    if (isa<MemRefType>(output.get().getType())) {
      effects.emplace_back(MemoryEffects::Read::get(), &output,
                           SideEffects::DefaultResource::get());
      effects.emplace_back(MemoryEffects::Write::get(), &output,
                           SideEffects::DefaultResource::get());
    }
  if (getCommunicates()) {
    effects.emplace_back(MemoryEffects::Read::get(), CommunicationResource::get());
    effects.emplace_back(MemoryEffects::Write::get(),
                         CommunicationResource::get());
  }
}

} // namespace partita::spmd
