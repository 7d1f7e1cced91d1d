// cpu-use-donations: donated arguments of main may be written.

#include "partita/Target/CPU/Donation.h"
#include "partita/Target/CPU/Passes.h"

namespace partita {
#define GEN_PASS_DEF_USEDONATIONSPASS
#include "partita/Target/CPU/Passes.h.inc"
} // namespace partita

using namespace mlir;

namespace partita {

SmallVector<int64_t> getDonatedResults(func::FuncOp main) {
  SmallVector<int64_t> donated(main.getNumArguments(), -1);
  llvm::SmallBitVector taken(main.getNumResults());
  auto donate = [&](unsigned argument, int64_t result) {
    if (result < 0 || result >= int64_t(main.getNumResults()) ||
        taken.test(result) ||
        main.getArgumentTypes()[argument] != main.getResultTypes()[result])
      return false;
    taken.set(result);
    donated[argument] = result;
    return true;
  };
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (auto alias =
            main.getArgAttrOfType<IntegerAttr>(i, "tf.aliasing_output"))
      donate(i, alias.getInt());
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto donor = main.getArgAttrOfType<BoolAttr>(i, "jax.buffer_donor");
    if (!donor || !donor.getValue() || donated[i] >= 0)
      continue;
    for (unsigned result = 0; result < main.getNumResults(); ++result)
      if (donate(i, result))
        break;
  }
  return donated;
}

int64_t getValueBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return 0;
  Type element = tensor.getElementType();
  int64_t parts = 1;
  if (auto complexType = dyn_cast<ComplexType>(element)) {
    parts = 2;
    element = complexType.getElementType();
  }
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return tensor.getNumElements() * parts * ((bits + 7) / 8);
}

int64_t getBoundaryBytes(func::FuncOp main) {
  int64_t bytes = 0;
  for (auto [type, result] :
       llvm::zip_equal(main.getArgumentTypes(), getDonatedResults(main)))
    bytes += result < 0 ? getValueBytes(type) : 0;
  for (Type type : main.getResultTypes())
    bytes += getValueBytes(type);
  return bytes;
}

namespace {

struct UseDonations : impl::UseDonationsPassBase<UseDonations> {
  using UseDonationsPassBase::UseDonationsPassBase;

  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main || main.isExternal())
      return;
    Builder b(&getContext());
    for (auto [i, result] : llvm::enumerate(getDonatedResults(main)))
      if (result >= 0) {
        main.setArgAttr(i, "bufferization.writable", b.getBoolAttr(true));
        main.setArgAttr(i, "partita.out_parameter",
                        b.getI64IntegerAttr(main.getNumArguments() + result));
      }
  }
};

} // namespace
} // namespace partita
