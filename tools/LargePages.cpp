// Asks mimalloc for pages of 2 MiB, where the system has them: a compiler
// touches some ten MiB once, and in pages of 4 KiB those faults take a tenth of
// its time. The user's MIMALLOC_LARGE_OS_PAGES is stronger.
//
// Runs before the constructors of shared libraries, since the first of them
// that allocates fixes the pages; for that it must be part of the program
// itself.
#include <mimalloc.h>

static void askForLargePages() {
  mi_option_set_enabled_default(mi_option_large_os_pages, true);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const beforeConstructors)() =
    askForLargePages;
