# The two targets to know: 'make demo' shows the operator in action, 'make test' runs every test.
# Runs a command with Java 25 or newer, which need not be the machine's default.
JDK := hack/jdk.sh
MAVEN := $(JDK) mvn -B -ntp -Dstyle.color=never
# The version of Kubernetes that tests, demo and benchmarks run on: a folder of src/test/go/control-plane.
KUBERNETES ?= 1.37
OLDEST_KUBERNETES := 1.30
CONTROL_PLANE = target/control-plane-$(KUBERNETES)
# The longest that the kubelet waits between two restarts of a container; by default 300s.
BACKOFF := 5s
# 'make test-long' runs the long ones too.
ON_NODE := -Dtest.groups=node -Dtest.excludedGroups=long
ON_CLUSTER := -Dtest.groups=cluster -Dtest.excludedGroups=long
ALL := -Dtest.excludedGroups=node,cluster -Dcases.all=true
COMPILE_ONLY := -Dspotless.apply.skip -Dspotless.check.skip -Dcyclonedx.skip
TEST_CLASSPATH := target/test-classpath.txt
WRITE_CLASSPATH := dependency:build-classpath -Dmdep.outputFile=$(TEST_CLASSPATH) -Dmdep.includeScope=test
TEST_JAVA = $(JDK) java --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow -Dkubernetes=$(KUBERNETES) \
  -cp "target/test-classes:target/classes:$$(cat $(TEST_CLASSPATH))"

.DEFAULT_GOAL := help

# What Maven itself does takes half a minute, too little for an optimising compiler to pay off. Java
# warns of what Maven's own libraries use.
export MAVEN_OPTS ?= -XX:TieredStopAtLevel=1 -XX:+UseSerialGC \
  --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED

.PHONY: help
help: ## List the targets.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-14s %s\n", $$1, $$2}'

.PHONY: control-plane
control-plane: ## Build etcd, kube-apiserver, kube-controller-manager and kubectl (KUBERNETES=1.37).
	@hack/control-plane.sh $(CONTROL_PLANE) $(KUBERNETES)
	@hack/snapshot-crds.sh target/snapshot-crds

.PHONY: tools
tools: kubectl-sei ## Get Prometheus, promtool, shellcheck, Chromium, kube-rbac-proxy and kstatus, which tests run.
	@hack/debian-tool.sh promtool prometheus target/tools
	@hack/debian-tool.sh prometheus prometheus target/tools
	@hack/debian-tool.sh shellcheck shellcheck target/tools
	@hack/chromium.sh target/tools
	@hack/go-tool.sh target/tools test/go/node/kube-rbac-proxy github.com/brancz/kube-rbac-proxy/cmd/kube-rbac-proxy
	@hack/go-tool.sh target/tools test/go/kstatus sei.io/operator/test/kstatus

.PHONY: kubectl-sei
kubectl-sei: ## Build the kubectl plugin, target/tools/kubectl-sei.
	@hack/go-tool.sh target/tools kubectl-sei sei.io/operator/kubectl-sei

.PHONY: build
build: ## Build target/sei-operator.jar without running tests.
	$(MAVEN) -q package -DskipTests

.PHONY: house
house: ## Measure how large and entangled the product is; fails above the limits of House.java.
	@$(JDK) java src/tools/java/io/sei/operator/house/House.java

.PHONY: behaviour
behaviour: ## Compare recorded behaviour with that of an earlier commit (BASE; needs git's history, so CI does not run it).
	@hack/diff-transcripts $(or $(BASE),fd07afaa)

.PHONY: test
test: control-plane tools ## Run the tests that every change must pass.
	hack/kubectl-sei.sh test
	$(MAVEN) verify -Dkubernetes=$(KUBERNETES) -Dspotbugs.skip

.PHONY: t
t: control-plane ## Run one test class as it is: no formatting, no jar, no SpotBugs (T=Name, T=Name#method; FLAGS of Maven).
	$(if $(T),,$(error Set T: make t T=Name))
	$(MAVEN) test-compile surefire:test $(COMPILE_ONLY) -Dkubernetes=$(KUBERNETES) -Dtest='$(T)' $(FLAGS)

.PHONY: testkit
testkit: control-plane ## Build the test kit by itself, and run its own tests.
	$(MAVEN) -q -f src/testkit/pom.xml verify -Dkubernetes=$(KUBERNETES) -Dcases.all=true

.PHONY: breaks
breaks: control-plane test-classes ## Take each guard of hack/breaks away and expect its test to fail (BREAK=name).
	$(JDK) hack/breaks.sh $(TEST_CLASSPATH) $(BREAK)

.PHONY: corpus
corpus: control-plane kubectl-sei build test-classes ## Add the statuses that tests and the demo reach to src/test/resources/corpus.
	rm -rf target/corpus
	-$(MAVEN) surefire:test $(ALL) -Dkubernetes=$(KUBERNETES) -Dcorpus.record=true \
	  -Dtest='!Hostile*,!StoredStatusTest'
	for mode in $(MODES); do MODE=$${mode#tour} FAULT= DEMO_KEEP= $(TEST_JAVA) -Dcorpus.record=true io.sei.operator.demo.Demo || exit; done
	FAULT=all DEMO_KEEP= $(TEST_JAVA) -Dcorpus.record=true io.sei.operator.demo.Demo
	$(TEST_JAVA) io.sei.operator.testkit.StatusCorpus

.PHONY: corpus-made
corpus-made: test-classes ## Add the statuses that StatusCorpus lists, since no test reaches them.
	mkdir -p target/corpus
	$(TEST_JAVA) io.sei.operator.testkit.StatusCorpus

.PHONY: lint
lint: house ## Look for known bug patterns with SpotBugs and go vet, and hold the size of the product.
	hack/kubectl-sei.sh lint
	$(MAVEN) -q verify -DskipTests
	@# By itself, without a class of the operator.
	$(MAVEN) -q -f src/testkit/pom.xml test-compile

.PHONY: machine
machine: kubectl-sei
	@hack/as-machine.sh --check
	@hack/control-plane.sh $(CONTROL_PLANE) $(KUBERNETES) kube-scheduler kubelet kube-proxy
	@hack/snapshot-crds.sh target/snapshot-crds
	@hack/node-tools.sh target/node-tools

.PHONY: test-node
test-node: machine ## Run the tests on a real kubelet, runtime and chain (Linux, as root; BACKOFF=5s).
	@# No test is selected: what running them needs is fetched while there is a network.
	$(MAVEN) -q package -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false -DfailIfNoTests=false
	@hack/as-machine.sh $(MAVEN) -o surefire:test -Dkubernetes=$(KUBERNETES) -Dbackoff=$(BACKOFF) $(ON_NODE)

.PHONY: test-cluster
test-cluster: ## Run the tests on three kubelets with disks that follow their pods (Linux, as root).
	$(MAKE) test-node ON_NODE="$(ON_CLUSTER)"

.PHONY: pictures
pictures: ## Draw the dashboards in docs/images, from a real Prometheus and chain (as test-node).
	$(MAKE) test-node ON_NODE="-Dtest.groups=node -Dtest.excludedGroups=none -Dtest=UpgradeNightOnMachineTest"
	cp target/pictures/dashboard-*.svg docs/images/

.PHONY: test-sidecar
test-sidecar: ## Run the contract of sidecars against a real one (SEICTL=/path/to/seictl).
	@test -x "$(SEICTL)" || { echo "Set SEICTL: make test-sidecar SEICTL=/path/to/seictl"; exit 1; }
	SEICTL=$(abspath $(SEICTL)) $(MAVEN) test -Dtest='Sidecar*ContractTest'

.PHONY: test-long
test-long: control-plane tools ## Run all tests with all cases, also on the oldest Kubernetes.
	$(MAVEN) verify $(ALL) -Dspotbugs.effort=Max
	$(MAKE) testkit
	$(MAKE) breaks
	@echo "Not run on Kubernetes $(OLDEST_KUBERNETES), which cannot resize pods: tests tagged since-1.33"
	env -u KUBEBUILDER_ASSETS $(MAVEN) surefire:test -Dtest.excludedGroups=node,cluster,since-1.33 -Dcases.all=true \
	  -Dkubernetes=$(OLDEST_KUBERNETES)
	@if [ "$$(id -u)" -eq 0 ]; then $(MAKE) test-node BACKOFF=300s ON_NODE="-Dtest.groups=node -Dtest.excludedGroups=none" && \
	  $(MAKE) test-cluster ON_CLUSTER="-Dtest.groups=cluster -Dtest.excludedGroups=none"; \
	else echo "Not run, since it needs root: make test-node BACKOFF=300s, make test-cluster"; fi

.PHONY: demo
demo: ## Show the operator in action (DEMO_KEEP=1, MODE=validator, network or upgrade, FAULT=list).
	@# Maven waits for the network while Go compiles.
	@$(if $(filter list,$(FAULT)),[ -e $(TEST_CLASSPATH) ] || $(MAKE) -s demo-classes,$(MAKE) -s -j2 control-plane demo-classes \
	  && $(MAKE) -s kubectl-sei)
	@# With a process group of its own, Ctrl-C ends the demo and does not fail make.
	@[ ! -t 0 ] || set -m; [ -t 1 ] && [ -z "$$NO_COLOR" ] && colour=--colour; \
	$(TEST_JAVA) io.sei.operator.demo.Demo $$colour; exit $$?

.PHONY: demo-classes
demo-classes:
	@$(MAVEN) -q process-test-classes $(COMPILE_ONLY) $(WRITE_CLASSPATH)

# What MODE of 'make demo' can be; an empty one is the tour.
MODES := tour validator network upgrade
.PHONY: demos
demos: control-plane kubectl-sei demo-classes ## Play every MODE of the demo, and show only those that do not reach their end.
	@for mode in $(MODES); do \
	  MODE=$${mode#tour} FAULT= DEMO_KEEP= $(TEST_JAVA) io.sei.operator.demo.Demo >target/demo-$$mode.log 2>&1 </dev/null \
	    || { cat target/demo-$$mode.log; echo "make demo MODE=$${mode#tour} does not reach its end"; exit 1; }; \
	  ! grep '^WARNING: ' target/demo-$$mode.log || { echo "make demo MODE=$${mode#tour} shows warnings of Java"; exit 1; }; \
	  echo "demo $$mode: as expected"; done

.PHONY: crds
crds: test-classes ## Generate crds/ from the Java model.
	$(TEST_JAVA) io.sei.operator.api.CrdFile

.PHONY: docs
docs: crds kubectl-sei ## Generate the pages of docs/ that are made from the code and from the SBOM.
	$(TEST_JAVA) io.sei.operator.api.CrdPage
	$(TEST_JAVA) io.sei.operator.api.ConditionsPage
	$(TEST_JAVA) io.sei.operator.config.ConfigPage
	$(TEST_JAVA) io.sei.operator.observability.MetricsPage
	$(TEST_JAVA) io.sei.operator.install.ThirdPartyPage
	$(TEST_JAVA) io.sei.operator.bench.ScalePlots

.PHONY: site
site: ## Build docs/ as a site, target/site/index.html (Python 3 with venv, npm; REPOSITORY_URL).
	@python3 -m venv target/site-venv
	@target/site-venv/bin/pip install -q --disable-pip-version-check --require-hashes -r hack/site/requirements.txt
	@NO_MKDOCS_2_WARNING=1 target/site-venv/bin/mkdocs build --strict -f hack/site/mkdocs.yml

.PHONY: manifests
manifests: crds ## Generate manifests/, deploy/kustomize, parts of the chart and the page of kubectl sei.
	$(TEST_JAVA) io.sei.operator.install.GeneratedFiles

.PHONY: test-classes
test-classes:
	@$(MAVEN) -q test-compile $(WRITE_CLASSPATH)

.PHONY: run
run: build ## Run the operator against the current kubeconfig.
	SEI_LEADER_ELECTION=false $(JDK) java -jar target/sei-operator.jar

.PHONY: bench
bench: control-plane kubectl-sei ## Measure rollouts beside plain StatefulSets, and cost by size (RUNS, NODES; BASE: a commit to compare with).
	@$(MAVEN) -q package -DskipTests $(WRITE_CLASSPATH)
	@hack/chromium.sh target/tools
	$(JDK) hack/runtime.sh target/sei-operator.jar target/runtime $(TEST_JAVA) io.sei.operator.bench.Training
	$(TEST_JAVA) io.sei.operator.bench.Bench $(or $(RUNS),5) $(or $(NODES),10 100)
	$(if $(BASE),hack/bench-base.sh $(BASE) $(KUBERNETES) $(or $(RUNS),5) "$(or $(NODES),10 100)")
	@if [ "$$(id -u)" -eq 0 ]; then $(MAKE) bench-node; else echo "Not measured, since it needs root: make bench-node"; fi

.PHONY: bench-check
bench-check: control-plane ## Compare requests and reconciles of rollouts with the committed ones (NODES).
	$(MAVEN) -q verify -Dspotbugs.skip -Dkubernetes=$(KUBERNETES) -Dtest=RolloutCostTest -Dtest.excludedGroups=node \
	  "-Dcounts.nodes=$(or $(NODES),300)"

.PHONY: bench-node
bench-node: machine ## Measure how long an edit takes on a real node (Linux, as root; RUNS).
	@$(MAVEN) -q package -DskipTests $(WRITE_CLASSPATH)
	@# The operator as the image has it, with the archive of classes that a training makes.
	@hack/as-machine.sh $(TEST_JAVA) -Dtraining=io.sei.operator.bench.Training io.sei.operator.bench.MachineBench $(or $(RUNS),5)

.PHONY: soak
soak: control-plane ## Run the operator under random faults (MINUTES=10 SEED=any).
	@$(MAVEN) -q package -DskipTests $(WRITE_CLASSPATH)
	$(TEST_JAVA) io.sei.operator.soak.Soak $(or $(MINUTES),10) $(SEED)
