// Owns the precompiled headers of pch.h; has no code of its own.
