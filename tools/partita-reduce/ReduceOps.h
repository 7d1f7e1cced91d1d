// The pass by which partita-reduce makes programs small.
#ifndef PARTITA_TOOLS_REDUCEOPS_H
#define PARTITA_TOOLS_REDUCEOPS_H

namespace partita {

/// Registers `reduce-ops`: replaces ops by their operands or zeros, and erases
/// functions, as long as the module stays valid and the script in option `test`
/// finds it interesting (exit status 1).
void registerReduceOpsPass();

} // namespace partita

#endif
