// The op families of which random programs are made.
#ifndef PARTITA_TOOLS_FUZZ_FAMILIES_H
#define PARTITA_TOOLS_FUZZ_FAMILIES_H

#include "Generator.h"

namespace partita {

/// Writes ops of one family into the generator's frame.
struct Family {
  const char *name;
  /// How often, relative to the others.
  int weight;
  void (*write)(Generator &);
};

llvm::ArrayRef<Family> getFamilies();

// By file.
void writeElementwise(Generator &);
void writeCompare(Generator &);
void writeSelect(Generator &);
void writeClamp(Generator &);
void writeConvert(Generator &);
void writeIota(Generator &);
void writeConstant(Generator &);

void writeBroadcast(Generator &);
void writeTranspose(Generator &);
void writeReshape(Generator &);
void writeReverse(Generator &);
void writeSlice(Generator &);
void writePad(Generator &);
void writeConcatenate(Generator &);
void writeRoll(Generator &);
/// `x`, of rank one at least, moved by a few indices along one dimension, as
/// jnp.roll, jnp.pad or a plain pad would.
TextValue shift(Generator &, const TextValue &x);

void writeDot(Generator &);
void writeConvolution(Generator &);
void writeReduce(Generator &);
void writeArgmax(Generator &);
void writeReduceWindow(Generator &);
void writeCumulative(Generator &);
void writeSort(Generator &);
void writeRng(Generator &);
void writeTopK(Generator &);
void writeSelectAndScatter(Generator &);
void writeFft(Generator &);

void writeDynamicSlice(Generator &);
void writeDynamicUpdateSlice(Generator &);
void writeGather(Generator &);
void writeScatter(Generator &);

void writeBatchNorm(Generator &);
void writeComposite(Generator &);
void writeDynamicOp(Generator &);
void writeEinsum(Generator &);
void writeRaggedDot(Generator &);
void writeFactorization(Generator &);
void writeBits(Generator &);
void writeMap(Generator &);

void writeWhile(Generator &);
void writeStencil(Generator &);
void writeScan(Generator &);
void writeIf(Generator &);
void writeCase(Generator &);
void writeCall(Generator &);
void writeManual(Generator &);
void writeCollective(Generator &);
void writeConstraint(Generator &);
void writeForwarded(Generator &);
void writeBarrier(Generator &);

} // namespace partita

#endif
