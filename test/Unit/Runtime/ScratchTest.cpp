// Memory that kernels ask for: reuse, and what happens where there is none.
#include "../../../lib/Runtime/Scratch.h"
#include "RuntimeTest.h"

using namespace partita::runtime;
using namespace partita::runtime::testing;

namespace {

TEST(Scratch, IsKept) {
  char *first;
  {
    Scratch block(3 << 20);
    first = block.data();
    ASSERT_NE(first, nullptr);
  }
  EXPECT_EQ(Scratch(3 << 20).data(), first);
}

TEST(Scratch, NoMemory) {
  for (size_t bytes : {size_t(1) << 62, size_t(1) << 63, SIZE_MAX}) {
    EXPECT_FALSE(Scratch(bytes));
    EXPECT_TRUE(Scratch::hasFailed());
    EXPECT_NE(Scratch::takeFailure().find(std::to_string(bytes)),
              std::string::npos);
    EXPECT_EQ(Scratch::takeFailure(), "");
  }
}

// A kernel that gets none ends the run, not the process. Nothing is read.
TEST(Scratch, KernelWithoutMemory) {
  int64_t n = int64_t(1) << 30;
  Call call(4, {{PARTITA_F32, {n, n}}, {PARTITA_F32, {n, 1}}},
            {{PARTITA_F32, {n, 1}}});
  call.add(1).add(0).list({}).add(0).add(1).list({}).add(0).add(1).list({});
  for (int i = 0; i < 5; ++i)
    call.list({});
  call.add(1).add(1);
  char memory[16];
  std::string error =
      runOne(partita_convolution, call, {memory, memory, memory});
  EXPECT_NE(error.find("op 4 (convolution): there is no memory for"),
            std::string::npos)
      << error;
}

} // namespace
