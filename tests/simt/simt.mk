# The simulator (README.md beside this file): included by the main Makefile, or on its own:
#   make -f tests/simt/simt.mk simt-selftest    its own tests: $(BUILD)/simt/{plain,address,race}/selftest
#   make -f tests/simt/simt.mk simt-plugins     kernels/*_cuda.cu as plug-ins that run on the CPU:
#                                               $(BUILD)/simt/{plain,address,race}/ropetool_cuda.so
# plain: fast, any order of threads; address: AddressSanitizer and UBSan; race: the race check.

BUILD ?= build
SIMT_CXX ?= g++
SIMT_CXXFLAGS ?= -g -Wall -Wextra -Wno-unknown-pragmas
SIMT_FLAGS := -std=c++17 -I. -Itests/simt -D_GNU_SOURCE -fPIC -fvisibility=hidden -ffp-contract=off \
  $(SIMT_CXXFLAGS)

# What of the library the plug-in brings along; the main Makefile's list where that has one.
PLUGIN_C_SOURCES ?= kernels/grid.c lib/base/error.c lib/base/memory.c lib/base/storage.c lib/base/text.c

SIMT_BUILDS := plain address race
SIMT_KERNELS := $(sort $(wildcard kernels/*_cuda.cu))
SIMT_RUNTIME := fiber threads launch stream memory host_api

# The race check is a matter of the kernels alone; all else of that build is taken from the plain one.
SIMT_KERNEL_plain := -O2
SIMT_KERNEL_address := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
SIMT_KERNEL_race := -O1 -fsanitize=thread $(if $(findstring clang,$(SIMT_CXX)),\
  -mllvm -tsan-instrument-func-entry-exit=0 -mllvm -tsan-distinguish-volatile=1,\
  --param tsan-instrument-func-entry-exit=0 --param tsan-distinguish-volatile=1)
SIMT_HOST_plain := -O2
SIMT_HOST_address := $(SIMT_KERNEL_address)
SIMT_LINK_address := -fsanitize=address,undefined

# Where the objects of a build lie that are not kernels.
simt_host = $(patsubst %,$(BUILD)/simt/$(if $(filter address,$(1)),address,plain)/%.o,$(2))
simt_runtime = $(call simt_host,$(1),$(SIMT_RUNTIME)) \
  $(if $(filter race,$(1)),$(call simt_host,$(1),race race_hooks))
simt_step = $(if $(step),$(call step,$(1)),@mkdir -p $(@D) &&)

simt-selftest: $(SIMT_BUILDS:%=$(BUILD)/simt/%/selftest)

simt-plugins: $(SIMT_BUILDS:%=$(BUILD)/simt/%/ropetool_cuda.so)

define SIMT_RULES
$(BUILD)/simt/$(1)/%.o: tests/simt/%.cc
	$$(call simt_step,CXX) $(SIMT_CXX) $(SIMT_FLAGS) $$(SIMT_HOST_$(1)) -MMD -MP -c -o $$@ $$<

$(BUILD)/simt/$(1)/%.o: %.c
	$$(call simt_step,CC) $(CC) -std=gnu11 -I. -D_GNU_SOURCE -g -fPIC -fvisibility=hidden \
	  $$(SIMT_HOST_$(1)) -MMD -MP -c -o $$@ $$<

$(BUILD)/simt/$(1)/%.o: %.cu
	$$(call simt_step,CXX) $(SIMT_CXX) $(SIMT_FLAGS) $$(SIMT_KERNEL_$(1)) -MMD -MP -x c++ -c -o $$@ $$<

$(BUILD)/simt/$(1)/selftest: $(patsubst %,$(BUILD)/simt/$(1)/tests/simt/%.o,right wrong) \
    $(call simt_host,$(1),selftest) $(call simt_runtime,$(1))
	$$(call simt_step,LINK) $(SIMT_CXX) $$(SIMT_LINK_$(1)) -o $$@ $$^ -lm

$(BUILD)/simt/$(1)/ropetool_cuda.so: $(SIMT_KERNELS:%.cu=$(BUILD)/simt/$(1)/%.o) \
    $(call simt_host,$(1),$(PLUGIN_C_SOURCES:%.c=%)) $(call simt_runtime,$(1))
	$$(call simt_step,LINK) $(SIMT_CXX) $$(SIMT_LINK_$(1)) -shared -Wl,-Bsymbolic -o $$@ $$^ -lm -ldl

-include $(wildcard $(BUILD)/simt/$(1)/*.d $(BUILD)/simt/$(1)/*/*.d $(BUILD)/simt/$(1)/*/*/*.d)
endef

$(foreach build,$(SIMT_BUILDS),$(eval $(call SIMT_RULES,$(build))))

.PHONY: simt-selftest simt-plugins
.SECONDARY:
