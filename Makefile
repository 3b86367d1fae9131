# Every command from an empty clone. Warm runs are quick: .venv is made once per lock, the jar when Java changed.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

VERSION := 0.1.0
VENV := .venv/bin
MVN := mvn --batch-mode --no-transfer-progress -Dstyle.color=never
SHIM := java-shim/target/flink-partition-bridge-$(VERSION).jar
JAVA_MAIN := java-shim/pom.xml $(shell find java-shim/src/main 2>/dev/null)
JAVA_ALL := $(JAVA_MAIN) $(shell find java-shim/src/test 2>/dev/null)
# The lines that the shim must compile against beside the one it's tested on.
OLDER_FLINKS := 2.2.1 2.1.3
PYTHON_CODE := .
METASTORES := build/hms-4.0.1/.complete build/hms-3.1.3/.complete
VERSITYGW := v1.8.0
VERSITYGW_BUILT := build/bin/versitygw-$(VERSITYGW)-static
TOXIPROXY := v2.5.0
FAULT_PROXIES := build/mitmproxy/.complete build/bin/toxiproxy-$(TOXIPROXY)

.PHONY: help
help: ## This list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

# What they build on

.PHONY: venv
venv:
	@tools/require python
	@tools/make-venv

.PHONY: jar
jar: $(SHIM) ## Build the shim's jar

# forceCreation: a jar that was shaded already must not be shaded again.
$(SHIM): $(JAVA_MAIN)
	@tools/require jdk mvn
	$(MVN) --quiet -f java-shim/pom.xml -Dmaven.test.skip=true -Dmaven.jar.forceCreation=true package
	@touch $@

# The Parquet, Hadoop and S3 jars that pip's Flink lacks.
build/jars/.complete: tests/support/flink-jars/pom.xml
	@tools/require jdk mvn
	$(MVN) --quiet -f $< generate-resources
	@touch $@

# Connectors of the older lines, for the takeover.
build/flink-connectors/.complete:
	@tools/require jdk mvn
	for version in $(OLDER_FLINKS); do \
	  $(MVN) --quiet org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
	    -Dartifact=org.apache.flink:flink-connector-files:$$version -DoutputDirectory=$(@D); \
	done
	@touch $@

# What only the containers need.
build/jars/plugins/s3-fs-presto/.complete: tests/support/flink-jars/pom.xml
	@tools/require jdk mvn
	$(MVN) --quiet -f $< -Pcontainers generate-resources
	@touch $@

# A second S3 implementation for the tests: its deviations from S3 are others than SeaweedFS's. Static, for an image with nothing else in it.
$(VERSITYGW_BUILT):
	@tools/require go
	CGO_ENABLED=0 GOBIN=$(CURDIR)/build/bin go install -trimpath -ldflags='-s -w' github.com/versity/versitygw/cmd/versitygw@$(VERSITYGW)
	@touch $@

# Real Hive Metastores for the tests.
build/hms-%/.complete: tests/support/hive-metastore/pom.xml
	@tools/require jdk mvn
	$(MVN) --quiet -f $< -Phms-$* generate-resources
	@touch $@

# Flink's own suites of the connector. They are compiled against the shim, but run with whatever shim there is.
build/peer/.complete: tests/peer/pom.xml $(shell find tests/peer/src -type f 2>/dev/null) | jar
	@tools/require jdk mvn
	$(MVN) --quiet -f $< process-classes
	@touch $@

# The TCP proxy of the fault tests.
build/bin/toxiproxy-$(TOXIPROXY):
	@tools/require go
	GOBIN=$(CURDIR)/build/bin/.go go install github.com/Shopify/toxiproxy/v2/cmd/server@$(TOXIPROXY)
	@mv build/bin/.go/server $@

# The HTTP proxy of the fault tests: a program of its own, since its pins fit nobody else's environment.
build/mitmproxy/.complete: requirements/mitmproxy.txt
	@tools/require python
	@rm -rf $(@D)
	"$$(tools/find-python)" -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

# The documentation site's generator: a program of its own, too.
build/docs-venv/.complete: requirements/docs.txt
	@tools/require python
	@rm -rf $(@D)
	"$$(tools/find-python)" -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

# An environment for each older line: pip's Flink with what the tests need, and the jars that it lacks.
build/lines/%/venv/.complete: requirements/flink-2.2.txt requirements/flink-2.1.txt
	@tools/require python
	@echo "$(@D): installing requirements/flink-$(basename $*).txt (1.7 GB)"
	@rm -rf $(@D)
	"$$(tools/find-python)" -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --use-pep517 --require-hashes -r requirements/flink-$(basename $*).txt
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

build/lines/%/jars/.complete: tests/matrix/pom.xml
	@tools/require jdk mvn
	@rm -rf $(@D)
	$(MVN) --quiet -f $< -Pflink-$* generate-resources
	@touch $@

# The job that the bridge is for

.PHONY: demo
demo: venv jar build/jars/.complete ## Flights through the whole bridge [KILL=writer|taskmanager|jobmanager|store] [TAMPER=drop-file|drop-row|extra-file|early-success]
	@$(VENV)/python -m examples.flights $(if $(KILL),--kill $(KILL)) $(if $(TAMPER),--tamper $(TAMPER))

.PHONY: store
store: venv ## An S3 server on loopback to try things on, until Ctrl-C; prints what Flink's configuration needs
	@$(VENV)/python -m examples.store

.PHONY: images
images: venv jar build/jars/.complete build/hms-4.0.1/.complete $(VERSITYGW_BUILT) ## A container engine where none runs (as root), and the images of docker/compose.yaml
	@docker/up.sh
	@docker/build.sh flink versitygw hive-metastore

# Tests and checks

.PHONY: test
test: ## Everything that CI runs: lint, Java and Python tests
	@tools/require python jdk mvn go
	@tools/timed "lint and types" $(MAKE) --no-print-directory lint
	@tools/timed "Java tests" $(MAKE) --no-print-directory java-unit
	@tools/timed "Python tests" $(MAKE) --no-print-directory pytest

.PHONY: lint
lint: venv older-flinks docs ## Format, lint, types, layers; the shim against every Flink line; the docs
	$(VENV)/ruff format --check $(PYTHON_CODE)
	$(VENV)/ruff check $(PYTHON_CODE)
	$(VENV)/mypy
	$(VENV)/lint-imports
	$(MVN) --quiet -f java-shim/pom.xml spotless:check

.PHONY: format
format: venv ## Put Python and Java into their format
	$(VENV)/ruff format $(PYTHON_CODE)
	$(VENV)/ruff check --fix-only $(PYTHON_CODE)
	$(MVN) --quiet -f java-shim/pom.xml spotless:apply

.PHONY: older-flinks
older-flinks: $(OLDER_FLINKS:%=build/flink-%/.complete)

# 2.1.3 of this artifact is not on every mirror; what the shim uses of it is the same in 2.1.2.
build/flink-2.1.3/.complete: LINE_OPTIONS := -Dflink.table-bridge.version=2.1.2

# A copy each, so that the classes of one line never get into the jar of another.
build/flink-%/.complete: $(JAVA_MAIN)
	@tools/require jdk mvn
	@rm -rf $(@D) && mkdir -p $(@D)/src && cp java-shim/pom.xml $(@D) && cp -R java-shim/src/main $(@D)/src
	$(MVN) --quiet -f $(@D)/pom.xml -Dflink.version=$* $(LINE_OPTIONS) compile
	@touch $@

.PHONY: java-unit
java-unit: ## The shim's own tests
	@tools/require jdk mvn
	$(MVN) -f java-shim/pom.xml test
	@! grep -l '<skipped' java-shim/target/surefire-reports/*.xml || { echo "skipped Java tests: see above" >&2; exit 1; }

.PHONY: unit
unit: venv ## Python unit tests only
	$(VENV)/pytest tests/unit

.PHONY: integration
integration: venv jar build/jars/.complete build/flink-connectors/.complete $(VERSITYGW_BUILT) ## Python tests with real servers and a real Flink only
	$(VENV)/pytest tests/contract tests/integration

# Without an engine the container tests are skipped and say so; CI, where a skip is a failure, starts one.
.PHONY: engine
engine: venv jar build/jars/.complete build/hms-4.0.1/.complete $(VERSITYGW_BUILT)
	@if [ "$${CI:-}" = true ] || docker info >/dev/null 2>&1; then \
	  docker/up.sh && docker/build.sh flink versitygw hive-metastore; \
	fi

# Job tests mostly wait, so two processes share the cores; each has servers and a cluster of its own, and a file stays in one of them.
# tests/conftest.py puts the quick stages first, so that one run gives one closing line.
.PHONY: pytest
pytest: engine venv jar build/jars/.complete build/flink-connectors/.complete build/peer/.complete build/hms-4.0.1/.complete $(VERSITYGW_BUILT) $(FAULT_PROXIES)
	@tools/require openssl
	$(VENV)/pytest --numprocesses $(or $(PROCESSES),2) --dist loadfile -m 'not thorough and not containers'

.PHONY: thorough
thorough: venv jar build/jars/.complete $(METASTORES) $(VERSITYGW_BUILT) $(FAULT_PROXIES) ## The tests that are too long for `make test`
	@tools/require openssl
	$(VENV)/pytest --numprocesses $(or $(PROCESSES),2) --dist loadfile -m 'thorough and not containers'

.PHONY: metastores
metastores: venv jar build/jars/.complete $(METASTORES) $(VERSITYGW_BUILT) ## The metastores' contract on Hive Metastore 4.0.1 and 3.1.3 and on Glue, and their jobs
	@tools/require openssl
	$(VENV)/pytest tests/unit/metastore tests/metastores tests/integration/test_metastore_jobs.py

.PHONY: containers
containers: images build/jars/plugins/s3-fs-presto/.complete build/hms-3.1.3/.complete ## Real parts in containers: ways in, other set-ups, chaos [EVIDENCE=1 ONLY=expression]
	@tools/require openssl
	@docker/build.sh takeover seaweedfs
	CI=true $(if $(EVIDENCE),CONTAINERS_EVIDENCE=docs/evidence) $(VENV)/pytest tests/containers -p no:randomly $(if $(ONLY),-k '$(ONLY)')

# What passed at this commit isn't run again.
.PHONY: faults
faults: venv jar build/jars/.complete $(VERSITYGW_BUILT) $(FAULT_PROXIES) ## Every fault of both tiers on both servers, all mutants, and the evidence [JOBS=2 SEED=1 ONLY=regex]
	$(VENV)/python -m tests.faults --jobs $(or $(JOBS),2) --seed $(or $(SEED),1) $(if $(ONLY),--only '$(ONLY)')
	$(VENV)/python -m tests.faults.jobs --seed $(or $(SEED),1) $(if $(ONLY),--only '$(ONLY)')
	$(if $(ONLY),,$(VENV)/python -m tests.faults.leases --evidence)
	$(if $(ONLY),,$(VENV)/python -m tests.faults --mutants)
	$(if $(ONLY),,$(VENV)/python -m tests.faults.jobs.mutants --evidence)
	$(if $(ONLY),,$(VENV)/python -m tests.faults --evidence)
	$(if $(ONLY),,$(VENV)/python -m tests.faults.jobs --evidence)

.PHONY: soak
soak: venv jar build/jars/.complete $(VERSITYGW_BUILT) ## A job under kills, restores and rescales, then the audit [SECONDS=600 SEED=1 MUTANT=name EVIDENCE=1]
	@$(VENV)/python -m tests.soak --seconds $(or $(SECONDS),600) --seed $(or $(SEED),1) $(if $(MUTANT),--mutant '$(MUTANT)') $(if $(EVIDENCE),--evidence)

# What was compared at this commit isn't compared again.
.PHONY: differential
differential: venv jar build/jars/.complete $(VERSITYGW_BUILT) ## Random tables through both sinks: what differs, and why [N=40 SEED=1 MINUTES=600 EVIDENCE=1]
	@$(VENV)/python -m tests.differential --tables $(or $(N),40) --seed $(or $(SEED),1) --minutes $(or $(MINUTES),600) $(if $(EVIDENCE),--evidence)

# What passed at this commit isn't run again.
.PHONY: peer
peer: venv jar build/peer/.complete $(VERSITYGW_BUILT) ## Flink's own suites on stock Flink, on the takeover, and on S3 through the bridge [ONLY=stock|local|s3 EVIDENCE=1]
	@$(VENV)/python -m tests.peer $(if $(ONLY),--only $(ONLY)) $(if $(EVIDENCE),--evidence)

# What has noticed at this commit isn't run again.
.PHONY: option-proofs
option-proofs: venv jar build/jars/.complete build/hms-4.0.1/.complete $(VERSITYGW_BUILT) ## Ignores each option once: the tests that docs/options.md names must fail [ONLY=regex EVIDENCE=1]
	@tools/require openssl
	@$(VENV)/python -m tests.options $(if $(ONLY),--only '$(ONLY)') $(if $(EVIDENCE),--evidence)

# What passed at this commit isn't run again.
MATRIX := $(filter $(ONLY)%,$(OLDER_FLINKS))

.PHONY: matrix
matrix: venv jar $(VERSITYGW_BUILT) build/flink-connectors/.complete $(MATRIX:%=build/lines/%/venv/.complete) $(MATRIX:%=build/lines/%/jars/.complete) ## Job tests on the older lines of Flink, each in an environment of its own [ONLY=2.2 EVIDENCE=1]
	@$(VENV)/python -m tests.matrix $(if $(ONLY),--only $(ONLY)) $(if $(EVIDENCE),--evidence)

.PHONY: bench
bench: venv jar build/jars/.complete $(VERSITYGW_BUILT) ## The bridge against Flink's own sink on s3-fs-native: time and CPU [CELL=events/p1/snappy PAIRS=5]
	@$(VENV)/python -m bench.run --pairs $(or $(PAIRS),5) $(CELL)

.PHONY: bench-quick
bench-quick: venv jar build/jars/.complete $(VERSITYGW_BUILT) ## A line for each goal of speed, in some minutes [PAIRS=2]
	@$(VENV)/python -m bench.goals --pairs $(or $(PAIRS),2)

.PHONY: wheel
wheel: venv jar ## The wheel, with the jar inside, in dist/
	$(VENV)/python -m hatchling build --target wheel

# All pages anew each time: a link is looked at again only when its page is written.
.PHONY: docs
docs: build/docs-venv/.complete ## The documentation site, in build/docs/html; a warning is an error
	@$(<D)/bin/sphinx-build --quiet --fresh-env --write-all --nitpicky --fail-on-warning --builder html --doctree-dir build/docs/trees docs build/docs/html

.PHONY: options
options: ## docs/options.md, docs/store-keys.md and docs/parquet-keys.md anew from the code
	@tools/require jdk mvn
	$(MVN) --quiet -f java-shim/pom.xml test -Dtest='OptionsPageTest,StoreKeysPageTest,ParquetKeysPageTest' -Ddocs.write=true

.PHONY: requirements
requirements: venv ## Lock requirements/dev.in anew for each Python version
	$(VENV)/python -m pip install --quiet uv
	for version in 3.10 3.11 3.12; do \
	  $(VENV)/uv pip compile --quiet --python-version $$version --generate-hashes --no-header \
	    --no-emit-index-url --no-emit-find-links requirements/dev.in --output-file requirements/dev-py$${version/./}.txt; \
	done
	$(VENV)/uv pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-header \
	  --no-emit-index-url --no-emit-find-links requirements/mitmproxy.in --output-file requirements/mitmproxy.txt
	$(VENV)/uv pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-header \
	  --no-emit-index-url --no-emit-find-links requirements/docs.in --output-file requirements/docs.txt
	for line in 2.2 2.1; do \
	  $(VENV)/uv pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-header --no-emit-index-url --no-emit-find-links \
	    requirements/dev.in --override requirements/flink-$$line.in --output-file requirements/flink-$$line.txt; \
	done
	for version in 3.10 3.11 3.12; do \
	  $(VENV)/uv pip compile --quiet --python-version $$version --generate-hashes --no-header --no-emit-index-url --no-emit-find-links \
	    --extra hive pyproject.toml --constraint requirements/dev-py$${version/./}.txt --output-file requirements/writer-py$${version/./}.txt; \
	done

.PHONY: clean
clean: ## Remove everything built; .venv stays
	rm -rf build dist java-shim/target .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
