# make demo   install what is missing, build, run the training step of examples/
# make test   install what is missing, build, pass all tests
# make build  build everything
# make clean  delete the build folder
BUILD ?= build
LLVM ?= /usr/lib/llvm-22
JOBS ?= $(shell nproc)
export CCACHE_SLOPPINESS = pch_defines,time_macros,include_file_mtime,include_file_ctime

.PHONY: demo test build tools clean packages

demo: tools
	$(BUILD)/bin/partita-run examples/mlp_train_step/train_step.mlir --compare=exact

test: build
	python3 test/run.py $(BUILD)

tools: $(BUILD)/build.ninja
	ninja -C $(BUILD) -j $(JOBS) partita-run partita-opt partita-translate

build: $(BUILD)/build.ninja
	ninja -C $(BUILD) -j $(JOBS)

$(BUILD)/build.ninja: | packages
	cmake -G Ninja -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release \
	  -DCMAKE_C_COMPILER=$(LLVM)/bin/clang -DCMAKE_CXX_COMPILER=$(LLVM)/bin/clang++ \
	  "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG" -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld \
	  -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache

packages:
	@cmake/install-packages.sh

clean:
	rm -rf $(BUILD)
