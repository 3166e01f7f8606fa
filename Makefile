# The commands of the project. `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help setup build deb release test test-pure truth acceptance picture faults faults-cluster soak latency flood bench bench-fusion bench-history bench-instructions bench-replay function-order demo run contract proto lint format tsan asan fuzz check clean

SWIFT ?= swift
PACKAGES := mosquitto mosquitto-clients libmosquitto-dev libnats-dev libsimdjson-dev libsqlite3-dev libxml2-dev libarchive-dev zlib1g-dev pkg-config g++ openssl
FAULT_PACKAGES := python3 python3-paho-mqtt gcc libc6-dev strace
BENCH_PACKAGES := python3 valgrind gcc binutils libc6-dev
DEB_PACKAGES := debhelper dpkg-dev fakeroot
PEER_PACKAGES := python3 python3-venv python3-paho-mqtt python3-numpy nodejs node-mqtt gcc libc6-dev
FLAGS ?=
# Tests that only compute. They run first and alone: beside them the deadlines of the others would pass.
PURE := TelemetryModelTests|SignalProcessingTests|StateCodingTests|GatewayPipelineTests|ContractTests|WearableFramesTests|CoreMotionTests|FleetSimulatorTests|HomeAssistantTests|TelemetryExportTests|LiveViewTests|RecordingImportTests|FuzzTests
# How many tests run at once. Without a limit hundreds of brokers and programs start together, and deadlines pass.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 4
# Tests of one thread, and of the whole program.
TSAN_SKIPPED := TelemetryModelTests|ContractTests|WearableFramesTests|CoreMotionTests|FleetSimulatorTests|HomeAssistantTests|TelemetryExportTests|LiveViewTests|RecordingImportTests|BinaryTests
# Tests that reach C code and everything that reads bytes of devices, users and files.
ASAN := GatewayPipelineTests|GatewayRuntimeTests|MosquittoTests|StateCodingTests|GatewayConfigurationTests|RecordingImportTests|FuzzTests|GatewaySetupTests
# Of C and C++ alone, as Swift traps by itself. Without its runtime library, which Swift does not link: undefined behaviour ends the test.
UBSAN := $(foreach language,-Xcc -Xcxx,$(foreach flag,-fsanitize=undefined -fno-sanitize=vptr -fsanitize-trap=undefined,$(language) $(flag)))
# A release build as the container image has it.
RELEASE := -c release --static-swift-stdlib
# Debian's own, for which python3-paho-mqtt is.
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)
KILLS ?= 100
REPORT ?= --report docs/reference/reliability.md
SECONDS ?= 60

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | expand -t 12

setup: ## install what is missing (Debian: system packages, with root or sudo)
	@sh scripts/setup $(PACKAGES)

build: setup ## build everything, warnings as errors
	$(SWIFT) build $(FLAGS)

demo: setup ## broker, gateway and a simulated fleet on this machine, with a live view
	@echo "building (the first time takes some minutes)..."
	@$(SWIFT) build --product fathom $(FLAGS) > .build-demo.log 2>&1 || { cat .build-demo.log; rm -f .build-demo.log; exit 1; }
	@rm -f .build-demo.log
	@exec "$$($(SWIFT) build --show-bin-path $(FLAGS))/fathom" demo $(ARGS)

run: setup ## the gateway, against the broker of config/fathom.yaml
	$(SWIFT) build --product fathom $(FLAGS)
	@exec "$$($(SWIFT) build --show-bin-path $(FLAGS))/fathom" run --config config/fathom.yaml $(ARGS)

deb: ## a Debian package in .build-deb, for machines without Swift
	@sh scripts/setup $(PACKAGES) $(DEB_PACKAGES)
	$(SWIFT) build $(RELEASE) --product fathom
	@config/debian/build "$$($(SWIFT) build $(RELEASE) --show-bin-path)/fathom" .build-deb

release: deb ## what an operator downloads, in .build-release: Debian package, tarball, checksums, list of what is in it
	@sh scripts/setup python3 binutils
	@scripts/release "$$($(SWIFT) build $(RELEASE) --show-bin-path)/fathom" "$$(ls -t .build-deb/fathom_*.deb | head -1)" .build-release

test: ## all tests: pure, runtime, real broker, whole program, an app with the libraries, and the short form of `faults`
	@sh scripts/setup $(PACKAGES) $(FAULT_PACKAGES)
	$(SWIFT) build --build-tests $(FLAGS)
	@SWIFT='$(SWIFT)' scripts/test --skip-build $(FLAGS) --filter '$(PURE)' $(ARGS)
	@SWIFT='$(SWIFT)' scripts/test --skip-build $(FLAGS) --skip '$(PURE)' $(ARGS)
	$(PYTHON) -B -m unittest discover -q -s Tests/Scripts
	@SWIFT='$(SWIFT)' sh Tests/Acceptance/device-app/run
	$(PYTHON) -B -m unittest discover -q -s Tests/Faults
	$(PYTHON) Tests/Faults/faults.py --binary "$$($(SWIFT) build --show-bin-path $(FLAGS))/fathom" --short
	$(PYTHON) Tests/Faults/syscalls.py --binary "$$($(SWIFT) build --show-bin-path $(FLAGS))/fathom"

# Tests with the trait `slow` are left out: simulated nights, many seeds, bytes at random. `make test` runs them.
test-pure: setup ## only the tests without broker, clock and process, but for those that take long
	@sh scripts/setup python3
	$(PYTHON) -B -m unittest discover -q -s Tests/Scripts
	FATHOM_TESTS=fast $(SWIFT) test $(FLAGS) --filter '$(PURE)'

# VQF=VENV names a virtual environment with the Python package vqf: the authors' program for the table of attitudes.
truth: setup ## figures of derivations on recordings with known totals, in ../shared/data or FATHOM_SHARED_DATA, as a table; WRITE=1 puts it into docs/truth.md
	@sh scripts/setup python3 python3-numpy python3-scipy
	$(SWIFT) build --build-tests $(FLAGS)
	@FATHOM_VQF='$(VQF)' $(SWIFT) test --skip-build $(FLAGS) --filter 'TruthTests|FusedAgainstDeviceTests' > .build-truth.log 2>&1; status=$$?; \
	grep -E '^truth: [^|]|skipped: |failed|error:' .build-truth.log; tail -1 .build-truth.log; \
	$(PYTHON) Benchmarks/truth/table.py .build-truth.log --data '$(or $(FATHOM_SHARED_DATA),$(wildcard ../shared/data))' \
		$(if $(WRITE),--write docs/truth.md) || status=1; rm -f .build-truth.log; exit $$status

acceptance: ## the checks with programs of others (Prometheus, systemd, browsers), every Tests/Acceptance/*/run: make acceptance ONLY=prometheus
	@sh scripts/setup $(PACKAGES) $(FAULT_PACKAGES)
	$(SWIFT) build --product fathom $(FLAGS)
	@sh scripts/acceptance "$$($(SWIFT) build --show-bin-path $(FLAGS))/fathom" $(ONLY)

picture: ## docs/page.png, the fleet page that README.md shows, with a simulated fleet in a browser
	$(SWIFT) build --product fathom $(FLAGS)
	@Tests/Acceptance/page/run "$$($(SWIFT) build --show-bin-path $(FLAGS))/fathom" --picture docs/page.png

# The debug build has hooks that let it fail at a given place; F30 measures the release build.
faults: ## inject faults into gateway and broker, and count what is lost: make faults KILLS=200
	@sh scripts/setup $(PACKAGES) $(FAULT_PACKAGES)
	$(SWIFT) build --product fathom $(FLAGS)
	$(SWIFT) build $(RELEASE) --product fathom $(FLAGS)
	$(PYTHON) Tests/Faults/faults.py --binary "$$($(SWIFT) build --show-bin-path $(FLAGS))/fathom" \
		--release "$$($(SWIFT) build $(RELEASE) --show-bin-path $(FLAGS))/fathom" --kills $(KILLS) $(REPORT) $(ARGS)

faults-cluster: ## the faults on a cluster of three NATS servers (nats-server on the PATH)
	@$(MAKE) --no-print-directory faults ARGS='--only F25 $(ARGS)'

soak: ## memory, descriptors and threads over 90 minutes of load: make soak ARGS='--devices 60'
	@sh scripts/setup $(PACKAGES) $(FAULT_PACKAGES)
	$(SWIFT) build $(RELEASE) --product fathom $(FLAGS)
	$(PYTHON) Tests/Faults/soak.py --binary "$$($(SWIFT) build $(RELEASE) --show-bin-path $(FLAGS))/fathom" $(ARGS)

latency: ## how long a depth state takes while bulk is offered at ten times what is carried, beside a plain relay
	@sh scripts/setup $(PACKAGES) $(FAULT_PACKAGES)
	$(SWIFT) build $(RELEASE) --product fathom $(FLAGS)
	$(PYTHON) Tests/Faults/latency.py --binary "$$($(SWIFT) build $(RELEASE) --show-bin-path $(FLAGS))/fathom" $(ARGS)

flood: ## what one device that floods costs a hundred normal ones beside it
	@sh scripts/setup $(PACKAGES) $(FAULT_PACKAGES)
	$(SWIFT) build $(RELEASE) --product fathom $(FLAGS)
	$(PYTHON) Tests/Faults/flood.py --binary "$$($(SWIFT) build $(RELEASE) --show-bin-path $(FLAGS))/fathom" $(ARGS)

bench: ## processor time per frame and latency beside gateways in Node and Python and a relay in C: make bench ARGS='--rounds 1'
	@sh scripts/setup $(PACKAGES) $(PEER_PACKAGES)
	$(SWIFT) build $(RELEASE) --product fathom $(FLAGS)
	$(PYTHON) Benchmarks/live/live.py --binary "$$($(SWIFT) build $(RELEASE) --show-bin-path $(FLAGS))/fathom" $(ARGS)

# FLAGS are left out: figures are those of the release build alone.
bench-instructions: ## instructions per replayed frame against the figures in Benchmarks; UPDATE=1 records them anew
	@sh scripts/setup $(PACKAGES) $(BENCH_PACKAGES)
	$(SWIFT) build $(RELEASE) --product fathom
	$(PYTHON) Benchmarks/instructions.py --binary "$$($(SWIFT) build $(RELEASE) --show-bin-path)/fathom" --swift $(SWIFT) $(if $(UPDATE),--update) $(ARGS)

function-order: ## the order of functions in a release, observed anew; then build and measure again
	@sh scripts/setup $(PACKAGES) $(BENCH_PACKAGES)
	$(SWIFT) build $(RELEASE) --product fathom
	$(PYTHON) Benchmarks/function_order.py --binary "$$($(SWIFT) build $(RELEASE) --show-bin-path)/fathom"
	@rm "$$($(SWIFT) build $(RELEASE) --show-bin-path)/fathom" # SwiftPM does not see that the list has changed: the next build links again

bench-history: ## processor time and query time of 36 h of recorded acceleration: make bench-history ARGS='--hours 6'
	@sh scripts/setup $(PACKAGES) $(FAULT_PACKAGES)
	$(SWIFT) build $(RELEASE) --product fathom $(FLAGS)
	$(PYTHON) Benchmarks/history.py --binary "$$($(SWIFT) build $(RELEASE) --show-bin-path $(FLAGS))/fathom" $(ARGS)

bench-replay: ## processor time per replayed frame with 20 and with 2,000 devices
	@sh scripts/setup $(PACKAGES) $(BENCH_PACKAGES)
	$(SWIFT) build $(RELEASE) --product fathom $(FLAGS)
	$(PYTHON) Benchmarks/replay.py --binary "$$($(SWIFT) build $(RELEASE) --show-bin-path $(FLAGS))/fathom" $(ARGS)

# As for truth; DATA=FILE.csv.gz times a recording of BROAD instead of a simulated one.
bench-fusion: ## nanoseconds per sample of the filter of raw motion beside the authors' C++: make bench-fusion VQF=VENV
	@sh scripts/setup python3 g++
	$(PYTHON) Benchmarks/fusion/fusion.py --vqf '$(VQF)' $(if $(DATA),--data $(DATA)) $(ARGS)

tsan: setup ## tests under ThreadSanitizer, but for those of the whole program
	TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/tsan.supp $(SWIFT) test $(FLAGS) --sanitize=thread --scratch-path .build-tsan --skip '$(TSAN_SKIPPED)'

# The runtime's and the test library's own tables count as leaks.
asan: setup ## tests of C code, decoders and runtime under AddressSanitizer, and C and C++ under UndefinedBehaviorSanitizer
	ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test $(FLAGS) --sanitize=address $(UBSAN) --scratch-path .build-asan --filter '$(ASAN)'

check: ## what takes too long for each change, before a release: tsan, asan, fuzz, faults
	$(MAKE) tsan
	$(MAKE) asan
	$(MAKE) fuzz
	$(MAKE) faults

# Every target in turn; TARGET=sequence runs one, and with RUNS at most so many inputs: SECONDS=0 TARGET=neighbour RUNS=500000. What it finds is kept in .build-fuzz; a new input of the corpus is copied by hand.
fuzz: setup ## inputs that libFuzzer makes, SECONDS for each target: make fuzz SECONDS=60
	FATHOM_FUZZ=1 $(SWIFT) build -c release --sanitize=fuzzer --scratch-path .build-fuzz --product fathom-fuzz
	@sh Tests/Fuzz/fuzz "$$($(SWIFT) build -c release --scratch-path .build-fuzz --show-bin-path)/fathom-fuzz" $(SECONDS) $(TARGET) $(if $(TARGET),$(RUNS))

contract: setup ## write what is generated in docs/contract and docs/reference/messages.md: examples, AsyncAPI document, sections
	UPDATE_REFERENCE=1 $(SWIFT) test $(FLAGS) --filter ContractTests

# The plugin is that of the resolved swift-protobuf; protoc is Debian's.
proto: ## write Sources/WearableProtobuf from docs/contract/wearables.proto
	@sh scripts/setup protobuf-compiler
	@scripts/proto $(SWIFT)

lint: ## check the order of folders (scripts/house.order), and the format
	@sh scripts/setup python3
	$(PYTHON) scripts/house
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests

format: ## format the sources
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests

clean: ## remove what was built
	rm -rf .build .build-proto .build-tsan .build-asan .build-bench .build-acceptance .build-deb .build-release .build-fuzz
