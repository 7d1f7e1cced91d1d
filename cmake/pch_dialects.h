// The headers of our dialects, on top of pch.h: for all that comes after them.
#include "pch.h"

#include "dialects/CHLO/CHLO.h"
#include "dialects/SPMD/SPMD.h"
#include "dialects/StableHLO/StableHLO.h"
