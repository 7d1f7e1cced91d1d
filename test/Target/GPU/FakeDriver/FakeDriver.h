// What the fake cuBLASLt and NCCL need of the fake driver.
#ifndef PARTITA_TEST_FAKEDRIVER_H
#define PARTITA_TEST_FAKEDRIVER_H

#include <cstddef>
#include <cstdint>
#include <vector>

#define FAKE_EXPORT __attribute__((visibility("default")))

/// A point in time, as one number per stream.
using FakeClock = std::vector<uint32_t>;

/// The next operation of `stream` begins; its time, with all that came before
/// it. `after`, if given, comes before it too.
FAKE_EXPORT FakeClock fake_begin(void *stream, const FakeClock *after);
/// The operation that began last on `stream` touches memory. False, with a
/// message, if another stream's operation touches it at no known order, or it
/// is not memory of the stream's card.
FAKE_EXPORT bool fake_access(void *stream, uint64_t address, size_t bytes,
                             bool isWrite);
/// All operations of fake libraries are done under one lock.
FAKE_EXPORT void fake_lock();
FAKE_EXPORT void fake_unlock();
/// The card of a stream.
FAKE_EXPORT int fake_card(void *stream);

#endif
