# ropetool: `make demo` and `make check` do everything on a fresh Debian machine.
#
#   make              builds build/ropetool
#   make demo         installs what is missing, builds, draws example figures into build/demo/
#   make gallery      draws the figures of docs/gallery.md that are not up to date
#   make check        installs what the tests need, builds, runs every test
#   make check-asan   the same under AddressSanitizer, LeakSanitizer and UBSan (in build/asan/)
#   make check-simt   the CUDA kernels, run on the CPU (make check does that too)
#   make check-cuda   the same tests on a GPU
#   make lint         layers, budgets, clang-format, clang-tidy
#   make fuzz         each fuzz target for FUZZ_SECONDS seconds (in build/fuzz/)
#   make bench        measures speed: `ropetool bench`, and beside NumPy and PyTorch where PYTHON has them
#   make performance  measures all of docs/performance.md and writes its tables anew
#   make cuda-build   the CUDA plug-in for all architectures, with a table of what its kernels use
#   make install      program, manual pages, completions, library and headers into $(DESTDIR)$(PREFIX);
#                     `make uninstall` takes them away again
#   make deb          Debian packages, from source, in build/deb/
#   make clean
#
# CUDA=auto builds the CUDA plug-in (build/ropetool_cuda.so) where nvcc is found, in CUDA_HOME, PATH or
# /usr/local/cuda; CUDA=yes fails without it, CUDA=no does without.
# BUILD=folder builds elsewhere, V=1 shows the compiler's command lines, CC, CFLAGS, CPPFLAGS, LDFLAGS
# are as usual.

CC := $(if $(filter default,$(origin CC)),gcc,$(CC))
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
BUILD ?= build
FUZZ_SECONDS ?= 60
export PYTHON ?= python3
CUDA ?= auto
VERSION := 0.1.0

# Debian packages: to build and draw, to test, to lint, to fuzz, to make packages of it.
PACKAGES_BUILD := gcc libc6-dev make libgsl-dev libopenblas-dev libjansson-dev libpng-dev zlib1g-dev \
  nettle-dev librandom123-dev gnuplot-nox fonts-dejavu-core
PACKAGES_TEST := g++ libcmocka-dev mandoc pkgconf
PACKAGES_LINT := clang-format clang-tidy libomp-dev
PACKAGES_FUZZ := clang libclang-rt-dev libomp-dev
PACKAGES_DEB := dpkg-dev debhelper lintian

# The flags that the program names: without the folder that it was built in.
NAMED_FLAGS := $(foreach flag,$(CFLAGS),$(if $(findstring -prefix-map=,$(flag)),,$(flag)))
ALL_CPPFLAGS := -I. -D_GNU_SOURCE -DROPETOOL_VERSION='"$(VERSION)"' \
  -DROPETOOL_FLAGS='"$(strip $(NAMED_FLAGS))"' $(CPPFLAGS)
ALL_CFLAGS := -std=gnu11 -fopenmp -ffp-contract=off -fno-math-errno -fno-trapping-math \
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wpointer-arith -Wformat=2 \
  -Wundef -Werror=implicit-function-declaration -Werror=int-conversion $(CFLAGS)
# Shared libraries of others, and the CUDA plug-in, can take in what the library is made of, and export nothing of it;
# as hidden symbols are never replaced at run time, this costs no speed.
LIBRARY_CFLAGS := -fPIC -fvisibility=hidden
LDLIBS := -lgsl -lopenblas -ljansson -lpng -lz -lnettle -lm -ldl
SANITIZE := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined

LIBRARY_SOURCES := $(sort $(wildcard lib/*/*.c kernels/*.c))
COMMAND_SOURCES := $(sort $(wildcard cmd/*.c))
UNIT_SOURCES := $(sort $(wildcard tests/unit/test_*.c))
SUPPORT_SOURCES := $(filter-out $(UNIT_SOURCES),$(sort $(wildcard tests/unit/*.c)))
TWIN_SOURCES := $(sort $(wildcard tests/twins/twin_*.c))
FUZZ_SOURCES := $(sort $(wildcard tests/fuzz/fuzz_*.c))
BENCH_SOURCES := $(sort $(wildcard tests/bench/*.c))
CUDA_SOURCES := $(sort $(wildcard kernels/*_cuda.cu))
ASSETS := $(sort $(wildcard plots/*.gp plots/*/*.gp plots/*/*.hex plots/*/*.style lib/model/*/*.safetensors))
NOTICES := $(sort $(wildcard lib/model/*/NOTICE.md lib/model/*/LICENSE-*))
PRIVATE_HEADERS := $(wildcard lib/*/*_parts.h) lib/encoding/list.h lib/analysis/map_kind.h \
  lib/analysis/certificate_check.h lib/analysis/bench_operation.h lib/analysis/base_lines.h \
  lib/analysis/base_scan.h lib/analysis/base_window.h lib/figure/provenance_format.h \
  lib/figure/provenance_pdf.h lib/figure/raster_stream.h
PUBLIC_HEADERS := $(filter-out $(PRIVATE_HEADERS),$(sort $(wildcard lib/*/*.h))) kernels/backend.h

LIBRARY_OBJECTS := $(LIBRARY_SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/assets.o
COMMAND_OBJECTS := $(COMMAND_SOURCES:%.c=$(BUILD)/%.o)
SUPPORT_OBJECTS := $(SUPPORT_SOURCES:%.c=$(BUILD)/%.o)
UNIT_TESTS := $(UNIT_SOURCES:tests/unit/%.c=$(BUILD)/tests/%)
TWIN_TESTS := $(TWIN_SOURCES:%.c=$(BUILD)/%)
FUZZ_REPLAYS := $(FUZZ_SOURCES:%.c=$(BUILD)/%)
BENCHES := $(BENCH_SOURCES:%.c=$(BUILD)/%)

# All cores, unless the user said otherwise.
ifeq ($(MAKELEVEL),0)
  MAKEFLAGS += -j$(shell nproc)
endif
MAKEFLAGS += --no-print-directory --no-builtin-rules

# A short line for each step, the whole command with V=1.
say = $(if $(V),,@printf '  %-6s %s\n' $(1) '$@';)
step = $(call say,$(1)) mkdir -p $(@D) &&

# ---- CUDA -------------------------------------------------------------------------------------------

ifneq ($(CUDA),no)
  NVCC ?= $(firstword $(wildcard $(CUDA_HOME)/bin/nvcc) $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc))
endif
ifneq ($(NVCC),)
  CUDA_PLUGIN := $(BUILD)/ropetool_cuda.so
else ifeq ($(CUDA),yes)
  $(error CUDA=yes, but there is no nvcc in CUDA_HOME, PATH or /usr/local/cuda)
endif
CUDA_ARCHITECTURES ?= 75 80 86 89 90
# Binaries for these, and for newer devices an intermediate form that the driver compiles.
CUDA_TARGETS := $(foreach a,$(CUDA_ARCHITECTURES),-gencode arch=compute_$(a),code=sm_$(a)) \
  -gencode arch=compute_$(lastword $(CUDA_ARCHITECTURES)),code=compute_$(lastword $(CUDA_ARCHITECTURES))
# A kernel whose registers spill, or that needs local memory, is a fault.
CUDA_FLAGS := -std=c++17 -O3 -I. -D_GNU_SOURCE $(CUDA_TARGETS) -cudart static \
  -Xptxas -v,-warn-spills,-warn-lmem-usage,-Werror \
  -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra
# What of the library the plug-in brings along.
PLUGIN_C_SOURCES := kernels/grid.c lib/base/error.c lib/base/memory.c lib/base/storage.c lib/base/text.c
PLUGIN_C_OBJECTS := $(PLUGIN_C_SOURCES:%.c=$(BUILD)/%.o)
CUDA_OBJECTS := $(CUDA_SOURCES:%.cu=$(BUILD)/cuda/%.o)

all: $(BUILD)/ropetool $(CUDA_PLUGIN) manual

$(BUILD)/ropetool_cuda.so: $(CUDA_OBJECTS) $(PLUGIN_C_OBJECTS) $(BUILD)/sources
	$(call step,LINK) $(NVCC) -shared -cudart static -Xlinker --exclude-libs,ALL -o $@ $(CUDA_OBJECTS) $(PLUGIN_C_OBJECTS)

# nvcc tells what each kernel uses; that is kept for `make cuda-build`, the rest shown.
$(BUILD)/cuda/%.o: %.cu $(BUILD)/cuda-flags
	$(call step,NVCC) $(NVCC) $(CUDA_FLAGS) -MMD -MP -MF $(@:.o=.d) -c -o $@ $< >$(@:.o=.log) 2>&1; status=$$?; \
	  sed '/^ptxas info/d; /bytes stack frame/d' $(@:.o=.log); exit $$status

cuda-build:
ifeq ($(NVCC),)
	@echo "cuda-build: skipped, there is no nvcc$(if $(filter no,$(CUDA)), (CUDA=no))"
else
	@$(MAKE) --silent $(CUDA_PLUGIN)
	@awk -f kernels/cuda_usage.awk $(CUDA_OBJECTS:.o=.log) | c++filt
endif

# ---- Programs ---------------------------------------------------------------------------------------

$(BUILD)/ropetool: $(COMMAND_OBJECTS) $(BUILD)/libropetool.a
	$(call step,LINK) $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/libropetool.a: $(LIBRARY_OBJECTS) $(BUILD)/sources
	$(call step,AR) rm -f $@ && $(AR) rcs $@ $(LIBRARY_OBJECTS)

$(BUILD)/%.o: %.c $(BUILD)/flags
	$(call step,CC) $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(LIBRARY_OBJECTS): ALL_CFLAGS += $(LIBRARY_CFLAGS)

# These files become one C file that takes in their bytes.
$(BUILD)/assets.c: $(ASSETS) plots/embed.sh $(BUILD)/sources
	$(call step,EMBED) sh plots/embed.sh $(ASSETS) > $@

$(BUILD)/assets.o: $(BUILD)/assets.c $(BUILD)/flags
	$(call step,CC) $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/tests/test_%: $(BUILD)/tests/unit/test_%.o $(SUPPORT_OBJECTS) $(BUILD)/libropetool.a
	$(call step,LINK) $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcmocka

$(BUILD)/tests/twins/twin_cosine_sum $(BUILD)/tests/twins/twin_limit: | $(BUILD)/tests/plugins/fake_cublas.so
$(BUILD)/tests/test_plugin $(BUILD)/tests/test_bench_device $(BUILD)/tests/test_self_check: | $(BUILD)/tests/plugins/fake.so

$(BUILD)/tests/plugins/%.so: tests/plugins/%.c $(BUILD)/flags
	$(call step,LINK) $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -fPIC -shared -MMD -MP -MF $(@:.so=.d) -o $@ $<

$(BUILD)/tests/twins/twin_%: $(BUILD)/tests/twins/twin_%.o $(BUILD)/tests/twins/twins.o $(BUILD)/libropetool.a
	$(call step,LINK) $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcmocka

# main() of a fuzz target: replays files, unless FUZZ_MAIN brings the fuzzer's own.
FUZZ_MAIN ?= $(BUILD)/tests/fuzz/replay.o
$(BUILD)/tests/fuzz/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/replay.o $(BUILD)/libropetool.a
	$(call step,LINK) $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(FUZZ_MAIN) $(BUILD)/libropetool.a $(LDLIBS)

$(BUILD)/tests/bench/%: $(BUILD)/tests/bench/%.o $(BUILD)/libropetool.a
	$(call step,LINK) $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# These three files change only when their text does: what was built with other flags, or from a file that
# is gone, is built again.
FLAGS := $(strip $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(LIBRARY_CFLAGS))
CUDA_FLAGS_USED := $(strip $(NVCC) $(CUDA_FLAGS))
SOURCES := $(strip $(LIBRARY_SOURCES) $(ASSETS) $(CUDA_SOURCES))
ifeq ($(filter clean install-files uninstall,$(MAKECMDGOALS)),)
  $(shell mkdir -p $(BUILD))
  ifneq ($(file <$(BUILD)/flags),$(FLAGS))
    $(file >$(BUILD)/flags,$(FLAGS))
  endif
  ifneq ($(file <$(BUILD)/cuda-flags),$(CUDA_FLAGS_USED))
    $(file >$(BUILD)/cuda-flags,$(CUDA_FLAGS_USED))
  endif
  ifneq ($(file <$(BUILD)/sources),$(SOURCES))
    $(file >$(BUILD)/sources,$(SOURCES))
  endif
endif

# ---- Figures to look at -----------------------------------------------------------------------------

DEMO := $(BUILD)/demo
DEMO_MODELS := llama-3-8b mistral-7b-v0.1 qwen2.5-7b gemma-2-9b
DEMO_FILES := $(DEMO)/decay.png $(DEMO)/decay.pdf \
  $(foreach model,$(DEMO_MODELS),$(addprefix $(DEMO)/$(model)-,decay.png scores.png certificate.csv))

demo:
	@sh .ci/packages.sh $(PACKAGES_BUILD)
	@if $(MAKE) -q demo-files; then echo "All figures in $(DEMO)/ are up to date."; else \
	  $(MAKE) demo-files && echo "Made in $(DEMO)/:" && \
	  cd $(DEMO) && stat -c '%9s bytes  %n' $(sort $(notdir $(DEMO_FILES))); fi

demo-files: $(DEMO_FILES)

$(DEMO)/decay.png $(DEMO)/decay.pdf: $(BUILD)/ropetool
	$(call step,DRAW) $< decay --quiet $(DEMO_MODELS:%=--model %) -o $@

$(DEMO)/%-decay.png: $(BUILD)/ropetool
	$(call step,DRAW) $< decay --quiet --model $* --envelope -o $@

$(DEMO)/%-scores.png: $(BUILD)/ropetool
	$(call step,DRAW) $< heatmap --quiet --model $* -o $@

$(DEMO)/%-certificate.csv: $(BUILD)/ropetool
	$(call step,VERIFY) $< verify --quiet --model $* -o $@

gallery:
	@sh .ci/packages.sh $(PACKAGES_BUILD)
	@$(MAKE) $(BUILD)/ropetool
	@$(BUILD)/ropetool figures docs/gallery/gallery.recipe

# ---- Tests ------------------------------------------------------------------------------------------

check:
	@sh .ci/packages.sh $(PACKAGES_BUILD) $(PACKAGES_TEST)
	@$(MAKE) test-programs simt-programs
	@BUILD=$(BUILD) tests/run.sh

check-simt:
	@sh .ci/packages.sh $(PACKAGES_BUILD) $(PACKAGES_TEST)
	@$(MAKE) simt-programs
	@BUILD=$(BUILD) tests/run.sh simt twins

check-cuda:
	@sh .ci/packages.sh $(PACKAGES_BUILD) $(PACKAGES_TEST)
	@$(MAKE) all $(TWIN_TESTS)
	@BUILD=$(BUILD) tests/twins/device.sh

check-asan:
	@sh .ci/packages.sh $(PACKAGES_BUILD) $(PACKAGES_TEST)
	@$(MAKE) BUILD=$(BUILD)/asan CFLAGS='$(SANITIZE)' CUDA=no test-programs
	@BUILD=$(BUILD)/asan SIMT=no tests/run.sh

test-programs: $(BUILD)/ropetool manual unit-tests $(FUZZ_REPLAYS)

unit-tests: $(UNIT_TESTS)

simt-programs: simt-selftest simt-plugins $(TWIN_TESTS)

# The fuzz targets replay their corpus in `make check`; here libFuzzer drives the same targets.
fuzz:
	@sh .ci/packages.sh $(PACKAGES_BUILD) $(PACKAGES_FUZZ)
	@$(MAKE) -k BUILD=$(BUILD)/fuzz CC=clang FUZZ_MAIN=-fsanitize=fuzzer fuzz-run CFLAGS='-O1 -g \
	  -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -Wno-pass-failed'

fuzz-run: $(FUZZ_SOURCES:tests/fuzz/fuzz_%.c=fuzz-run-%)

fuzz-run-%: $(BUILD)/tests/fuzz/fuzz_%
	@tests/fuzz/run.sh $< $* $(FUZZ_SECONDS)

bench: $(BUILD)/ropetool $(BENCHES)
	@$(BUILD)/ropetool bench --threads 1
	@$(BUILD)/ropetool bench
	@for bench in $(BENCHES) $(wildcard tests/bench/*.sh); do BUILD=$(BUILD) $$bench || exit 1; done

performance: $(BUILD)/ropetool
	$(PYTHON) tests/bench/performance.py $<

include tests/simt/simt.mk

# ---- Lint -------------------------------------------------------------------------------------------

LINT_FILES := $(sort $(wildcard cmd/*.[ch] lib/*/*.[ch] kernels/*.[ch] kernels/*.cu tests/*/*.[ch]))
LINT_HEADERS := $(filter %.h,$(LINT_FILES))

lint:
	@sh .ci/packages.sh $(PACKAGES_BUILD) $(PACKAGES_TEST) $(PACKAGES_LINT)
	@$(MAKE) -k lint-layers lint-format lint-tidy

lint-layers:
	@tests/lint/layers.sh && echo "layers: $(words $(LINT_FILES)) files are as they should be"

lint-format:
	@clang-format --dry-run -Werror $(LINT_FILES) && echo "clang-format: $(words $(LINT_FILES)) files"

# Puts the sources into the format that lint-format wants.
format:
	clang-format -i $(LINT_FILES)

# tests/install/program.c is compiled against an installed tree.
lint-tidy: $(patsubst %.c,$(BUILD)/tidy/%.ok,$(filter-out tests/install/%,$(filter %.c,$(LINT_FILES))))

# The path analysis of tests would take as long as all the rest; sanitizers run them.
$(BUILD)/tidy/%.ok: %.c $(LINT_HEADERS) .clang-tidy $(BUILD)/flags
	$(call step,TIDY) clang-tidy --quiet $(if $(filter tests/%,$<),--checks=-clang-analyzer-*) $< -- $(ALL_CPPFLAGS) $(ALL_CFLAGS) 2>$@.log || { cat $@.log; exit 1; }
	@touch $@

# ---- Manual pages and completions -------------------------------------------------------------------

# The program writes them from its tables of options.
COMPLETIONS := $(addprefix $(BUILD)/completions/ropetool.,bash zsh fish)

manual: $(BUILD)/man/ropetool.1 $(COMPLETIONS)

$(BUILD)/man/ropetool.1: $(BUILD)/ropetool docs/commands.md docs/debian/changelog docs/man/page.awk docs/man/pages.sh
	$(call step,MAN) docs/man/pages.sh $(BUILD)/ropetool $(@D)

$(BUILD)/completions/ropetool.%: $(BUILD)/ropetool
	$(call step,WRITE) $< help --completion $* > $@

# ---- Install ----------------------------------------------------------------------------------------

# Where the parts go, under DESTDIR; the program looks for its plug-in in ../lib/ropetool.
LIBDIR ?= $(PREFIX)/lib
SHARE := $(PREFIX)/share
ZSH_FUNCTIONS ?= $(SHARE)/zsh/site-functions
PUT := install -D -m 644
BASH_COMPLETION := $(DESTDIR)$(SHARE)/bash-completion/completions/ropetool
ZSH_COMPLETION := $(DESTDIR)$(ZSH_FUNCTIONS)/_ropetool
FISH_COMPLETION := $(DESTDIR)$(SHARE)/fish/vendor_completions.d/ropetool.fish
# With what recipes read, so that they draw in a copy of the installed documents.
RECIPES := $(sort $(wildcard docs/*/*.recipe plots/recipes/*.recipe))
RECIPE_INPUTS = $(sort $(shell grep -o -h -e '\.\./\.\./[^ ]*' $(RECIPES) | sed 's,^\.\./\.\./,,'))
DOCUMENTS = README.md LICENSE $(sort $(wildcard docs/*.md docs/*/*.png plots/data/*.md plots/styles/*.style)) \
  $(RECIPES) $(RECIPE_INPUTS)
PKGCONFIG_WORDS := -e 's,@PREFIX@,$(PREFIX),' -e 's,@LIBDIR@,$(LIBDIR),' -e 's,@VERSION@,$(VERSION),' \
  -e 's,@LIBS@,$(LDLIBS) -fopenmp,'

# They stand on command lines, and in the file of pkg-config, as they are.
ifneq ($(filter install install-files uninstall,$(MAKECMDGOALS)),)
  ifneq ($(words [$(DESTDIR)$(PREFIX)$(LIBDIR)$(ZSH_FUNCTIONS)]),1)
    $(error blank in DESTDIR '$(DESTDIR)', PREFIX '$(PREFIX)', LIBDIR '$(LIBDIR)' or ZSH_FUNCTIONS \
      '$(ZSH_FUNCTIONS)'; a folder without is wanted)
  endif
endif

install: all $(BUILD)/libropetool.a
	@$(MAKE) install-files

# What is built already.
install-files:
	install -D -t $(DESTDIR)$(PREFIX)/bin $(BUILD)/ropetool
	$(if $(CUDA_PLUGIN),$(PUT) -t $(DESTDIR)$(PREFIX)/lib/ropetool $(CUDA_PLUGIN))
	$(PUT) -t $(DESTDIR)$(LIBDIR) $(BUILD)/libropetool.a
	sed $(PKGCONFIG_WORDS) lib/ropetool.pc.in | $(PUT) /dev/stdin $(DESTDIR)$(LIBDIR)/pkgconfig/ropetool.pc
	@for file in $(PUBLIC_HEADERS); do $(PUT) $$file $(DESTDIR)$(PREFIX)/include/ropetool/$$file || exit 1; done
	$(PUT) -t $(DESTDIR)$(SHARE)/man/man1 $(BUILD)/man/*.1
	$(PUT) $(BUILD)/completions/ropetool.bash $(BASH_COMPLETION)
	$(PUT) $(BUILD)/completions/ropetool.zsh $(ZSH_COMPLETION)
	$(PUT) $(BUILD)/completions/ropetool.fish $(FISH_COMPLETION)
	@for file in $(DOCUMENTS); do $(PUT) $$file $(DESTDIR)$(SHARE)/doc/ropetool/$$file || exit 1; done
	@for file in $(NOTICES); do $(PUT) $$file $(DESTDIR)$(SHARE)/doc/ropetool/$$file || exit 1; done

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/ropetool $(DESTDIR)$(LIBDIR)/libropetool.a $(DESTDIR)$(LIBDIR)/pkgconfig/ropetool.pc
	rm -f $(DESTDIR)$(SHARE)/man/man1/ropetool.1 $(DESTDIR)$(SHARE)/man/man1/ropetool-*.1
	rm -f $(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION)
	rm -rf $(addprefix $(DESTDIR)$(PREFIX)/,lib/ropetool include/ropetool share/doc/ropetool)

# The source with debian/ where it has to be, and what dpkg-buildpackage makes of it.
DEB_SOURCE := $(BUILD)/deb/ropetool-$(VERSION)

deb:
	@sh .ci/packages.sh $(PACKAGES_BUILD) $(PACKAGES_DEB)
	rm -rf $(BUILD)/deb
	mkdir -p $(DEB_SOURCE)
	cp -R .ci .clang-format .clang-tidy .editorconfig LICENSE Makefile README.md cmd docs kernels lib plots tests $(DEB_SOURCE)
	cp -R docs/debian $(DEB_SOURCE)
	cd $(DEB_SOURCE) && env -u MAKEFLAGS -u MAKELEVEL dpkg-buildpackage -us -uc -j$$(nproc)
	cd $(BUILD)/deb && lintian --allow-root --fail-on error,warning *.changes

clean:
	rm -rf $(BUILD)

.PHONY: all cuda-build demo demo-files gallery check check-simt check-cuda check-asan test-programs simt-programs unit-tests fuzz fuzz-run bench performance lint lint-layers lint-format lint-tidy format manual install install-files uninstall deb clean
.DELETE_ON_ERROR:
.SECONDARY:

-include $(patsubst %.c,$(BUILD)/%.d,$(LIBRARY_SOURCES) $(COMMAND_SOURCES) $(UNIT_SOURCES) \
  $(SUPPORT_SOURCES) $(TWIN_SOURCES) tests/twins/twins.c $(FUZZ_SOURCES) $(BENCH_SOURCES) tests/fuzz/replay.c)
-include $(CUDA_OBJECTS:.o=.d) $(PLUGIN_C_OBJECTS:.o=.d) $(BUILD)/tests/plugins/fake.d $(BUILD)/tests/plugins/fake_cublas.d
