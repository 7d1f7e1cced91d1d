// What a tool or library registers to read Partita's IR and run its passes.
#ifndef PARTITA_PIPELINES_REGISTRATION_H
#define PARTITA_PIPELINES_REGISTRATION_H

namespace mlir {
class DialectRegistry;
}

namespace partita {

/// All dialects that Partita reads or makes.
void registerAllDialects(mlir::DialectRegistry &registry);

/// All of Partita's passes and pipelines, and the few upstream ones in use.
void registerAllPasses();

/// The op models (sharding and partition rules), attached when their dialects
/// load. Only tools and the C API call this.
void registerAllOpModels(mlir::DialectRegistry &registry);

} // namespace partita

#endif
