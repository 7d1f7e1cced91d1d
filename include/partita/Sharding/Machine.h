// The machines that plans are made for, as figures of one device and its links.
#ifndef PARTITA_SHARDING_MACHINE_H
#define PARTITA_SHARDING_MACHINE_H

#include "partita/Sharding/CollectiveKind.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include <array>
#include <optional>
#include <string>

namespace partita {

/// Figures of one device and its links.
struct Machine {
  /// As the user wrote it, figures of its own included.
  std::string name;
  double peakFlops;   ///< per second, 16-bit floats where the device has them
  double peakFlops32; ///< per second, 32-bit floats
  double memoryBandwidth; ///< bytes per second
  double linkBandwidth;   ///< bytes per second of one device, one direction
  double linkLatency;     ///< seconds per hop
  double launchOverhead;  ///< seconds per collective
  double kernelOverhead;  ///< seconds per kernel
  bool overlaps;          ///< devices compute while their links are busy

  /// What differs from launchOverhead, linkLatency and linkBandwidth for one
  /// kind.
  struct OwnFigures {
    std::optional<double> launch, latency, link;
  };
  /// Of kLaunchedKinds, in their order.
  std::array<OwnFigures, std::size(kLaunchedKinds)> ownFigures = {};

  /// Seconds that a collective of `kind` takes besides hops and bytes.
  double getLaunchOverhead(CollectiveKind kind) const;
  /// Seconds of each of its hops, where the axis has no latency of its own.
  double getLinkLatency(CollectiveKind kind) const;
  /// Bytes per second of one device, where the axis has no figure of its own.
  double getLinkBandwidth(CollectiveKind kind) const;
  /// The best of all kinds.
  double getLeastLaunchOverhead() const;
  double getLeastLinkLatency() const;
  double getMostLinkBandwidth() const;
  /// True if a collective of one kind costs what one of another does.
  bool hasEqualKinds() const;
};

/// All machines with a name; the first is the default.
llvm::ArrayRef<Machine> getMachines();

/// The machine that `text` describes: the name of one (or, for tests,
/// free-network, which is not among getMachines()), and after commas figures
/// that replace its own, e.g. `cpu,launch=9e-5,link=1e9`. The figures are
/// flops, flops32, memory, link (per second), latency, launch, kernel
/// (seconds), overlap (on or off), and for one kind of collective
/// `KIND-launch`, `KIND-latency` and `KIND-link`, e.g. `permute-launch=1e-4`.
/// Otherwise none: `onError` is told what is wrong and how to mend it.
std::optional<Machine> parseMachine(
    llvm::StringRef text,
    llvm::function_ref<void(const llvm::Twine &problem, const llvm::Twine &fix)>
        onError);

} // namespace partita

#endif
