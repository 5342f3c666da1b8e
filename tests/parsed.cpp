// The target that the precompiled header belongs to.
#include "parsed.hpp"
