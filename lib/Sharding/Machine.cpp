// Figures of machines, and the words in which users give others.
#include "partita/Sharding/Machine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace partita;

// Public figures, per chip: matrix units at 16 bits, f32, memory, one link in
// one direction (TPU) or all NVLink of a device in one direction (GPU). TPUs
// multiply f32 in passes of bf16. `cpu` stands for one of several threads of
// one socket.
llvm::ArrayRef<Machine> partita::getMachines() {
  static const Machine machines[] = {
      {"tpu-v5e", 197e12, 49e12, 819e9, 45e9, 1e-6, 2e-6, 2e-6, true},
      {"tpu-v4", 275e12, 69e12, 1.2e12, 45e9, 1e-6, 2e-6, 2e-6, true},
      {"tpu-v5p", 459e12, 115e12, 2.8e12, 90e9, 1e-6, 2e-6, 2e-6, true},
      {"tpu-v6e", 918e12, 230e12, 1.6e12, 90e9, 1e-6, 2e-6, 2e-6, true},
      {"a100-nvlink", 312e12, 19.5e12, 2.04e12, 300e9, 2e-6, 6e-6, 6e-6, true},
      {"h100-nvlink", 989e12, 67e12, 3.35e12, 450e9, 2e-6, 6e-6, 6e-6, true},
      {"h200-nvlink", 989e12, 67e12, 4.8e12, 450e9, 2e-6, 6e-6, 6e-6, true},
      {"b200-nvlink", 2250e12, 75e12, 8e12, 900e9, 2e-6, 6e-6, 6e-6, true},
      {"cpu", 5e10, 5e10, 1e10, 5e9, 1e-6, 5e-6, 5e-6, false},
  };
  return machines;
}

// For tests: with a network that costs nothing, plans shard whatever can be,
// also where a real machine would gather small values.
static Machine makeFreeNetwork() {
  return {"free-network", 1, 1, 1, 1e15, 0, 0, 0, false};
}

namespace {

struct Figure {
  llvm::StringRef name;
  double Machine::*value;
  bool mayBeZero;
  /// Of one kind of collective; null: all have the machine's.
  std::optional<double> Machine::OwnFigures::*own = nullptr;
};

} // namespace

static constexpr Figure figures[] = {
    {"flops", &Machine::peakFlops, false},
    {"flops32", &Machine::peakFlops32, false},
    {"memory", &Machine::memoryBandwidth, false},
    {"link", &Machine::linkBandwidth, false, &Machine::OwnFigures::link},
    {"latency", &Machine::linkLatency, true, &Machine::OwnFigures::latency},
    {"launch", &Machine::launchOverhead, true, &Machine::OwnFigures::launch},
    {"kernel", &Machine::kernelOverhead, true},
};

/// The launched kind that `kind` counts as.
static size_t getIndex(CollectiveKind kind) {
  if (kind == CollectiveKind::Exchange)
    kind = CollectiveKind::Permute;
  return llvm::find(kLaunchedKinds, kind) - std::begin(kLaunchedKinds);
}

double Machine::getLaunchOverhead(CollectiveKind kind) const {
  return ownFigures[getIndex(kind)].launch.value_or(launchOverhead);
}

double Machine::getLinkLatency(CollectiveKind kind) const {
  return ownFigures[getIndex(kind)].latency.value_or(linkLatency);
}

double Machine::getLinkBandwidth(CollectiveKind kind) const {
  return ownFigures[getIndex(kind)].link.value_or(linkBandwidth);
}

double Machine::getLeastLaunchOverhead() const {
  double least = getLaunchOverhead(kLaunchedKinds[0]);
  for (CollectiveKind kind : kLaunchedKinds)
    least = std::min(least, getLaunchOverhead(kind));
  return least;
}

double Machine::getLeastLinkLatency() const {
  double least = getLinkLatency(kLaunchedKinds[0]);
  for (CollectiveKind kind : kLaunchedKinds)
    least = std::min(least, getLinkLatency(kind));
  return least;
}

double Machine::getMostLinkBandwidth() const {
  double most = 0;
  for (CollectiveKind kind : kLaunchedKinds)
    most = std::max(most, getLinkBandwidth(kind));
  return most;
}

bool Machine::hasEqualKinds() const {
  return llvm::all_of(ownFigures, [](const OwnFigures &own) {
    return !own.launch && !own.latency && !own.link;
  });
}

/// The number of `machine` that a user calls `name`: `figure`, or that of one
/// kind of collective, which has one from now on; null if there is none.
static double *findNumber(Machine &machine, const Figure &figure,
                          llvm::StringRef name) {
  if (figure.name == name)
    return &(machine.*figure.value);
  auto [kind, rest] = name.split('-');
  if (figure.name == rest && figure.own)
    for (auto [known, own] :
         llvm::zip_equal(kLaunchedKinds, machine.ownFigures))
      if (stringify(known) == kind)
        return &(own.*figure.own).emplace();
  return nullptr;
}

static std::string joinNames() {
  return llvm::join(
      llvm::map_range(getMachines(),
                      [](const Machine &machine) { return machine.name; }),
      ", ");
}

std::optional<Machine> partita::parseMachine(
    llvm::StringRef text,
    llvm::function_ref<void(const llvm::Twine &problem, const llvm::Twine &fix)>
        onError) {
  auto [base, rest] = text.split(',');
  const Machine *known =
      llvm::find_if(getMachines(), [base = base](const Machine &machine) {
        return machine.name == base;
      });
  bool isFree = base == "free-network";
  if (known == getMachines().end() && !isFree) {
    onError("unknown machine '" + base + "'", "use one of " + joinNames());
    return std::nullopt;
  }
  Machine machine = isFree ? makeFreeNetwork() : *known;
  machine.name = text.str();
  llvm::SmallVector<llvm::StringRef> words;
  rest.split(words, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words) {
    auto [name, value] = word.split('=');
    if (name == "overlap" && (value == "on" || value == "off")) {
      machine.overlaps = value == "on";
      continue;
    }
    double *number = nullptr;
    const Figure *figure =
        llvm::find_if(figures, [&, name = name](const Figure &each) {
          return (number = findNumber(machine, each, name));
        });
    if (!number) {
      onError("a machine has no figure '" + word + "'",
              "use flops, flops32, memory, link, latency, launch or kernel "
              "with a number, KIND-latency, KIND-launch or KIND-link for one "
              "kind of collective, or overlap with on or off");
      return std::nullopt;
    }
    if (value.getAsDouble(*number) || !std::isfinite(*number) || *number < 0 ||
        (*number == 0 && !figure->mayBeZero)) {
      onError("'" + value + "' is no " + name + " of a machine",
              figure->mayBeZero
                  ? "give seconds, e.g. " + name + "=2e-6"
                  : "give a number above 0 per second, e.g. " + name + "=1e9");
      return std::nullopt;
    }
  }
  return machine;
}
