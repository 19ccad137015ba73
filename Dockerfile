# Base images are pinned by digest, which names them for every platform; Dependabot proposes newer ones.
# The tests of this repository need no container engine and do not build this. They run what it runs:
# the Maven command, hack/runtime.sh, and the command line of the entrypoint with all its flags.

# What the operator is trained on; takes minutes, but only when a version of it changes.
FROM golang:1.26.8@sha256:9d2f36f06329b2a141b9db99ffa32765cf695ee57b813ca29e245e8670bcbfff AS control-plane
WORKDIR /src
COPY hack/control-plane.sh hack/go-build.sh hack/go.sh hack/
COPY src/test/go/control-plane src/test/go/control-plane
RUN hack/control-plane.sh target/control-plane

FROM maven:3.9-eclipse-temurin-25@sha256:93b8a14ea2f412782e4e842651273b4d903e35cc496284f178fbbe2d67d00976 AS build
WORKDIR /src
COPY pom.xml ./
COPY .mvn .mvn
COPY hack hack
COPY src src
# The training installs these admission policies, as a cluster has them.
COPY deploy/kustomize/base deploy/kustomize/base
COPY --from=control-plane /root/.cache/sei-operator /root/.cache/sei-operator
RUN CI=true mvn -B -ntp -q package -DskipTests \
  dependency:build-classpath -Dmdep.outputFile=target/test-classpath.txt -Dmdep.includeScope=test
RUN hack/runtime.sh target/sei-operator.jar /opt/sei-operator \
  java -cp "target/test-classes:target/classes:$(cat target/test-classpath.txt)" io.sei.operator.bench.Training

# glibc and nothing that could be run: no shell, no package manager.
FROM gcr.io/distroless/base-nossl-debian12:nonroot@sha256:be40c00dfabd86576d92666e87e406714d5618342de1a0c213ad232de255172e
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="sei-operator" \
      org.opencontainers.image.description="Kubernetes operator for Sei blockchain nodes and fleets of them" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# The same path as where it was made: the AOT cache belongs to it.
COPY --from=build /opt/sei-operator /opt/sei-operator
COPY --from=build /src/target/sbom.json /opt/sei-operator/
COPY LICENSE /opt/sei-operator/
# A number, because a name cannot be checked against runAsNonRoot.
USER 65532:65532
EXPOSE 8080 8081
# Java is the process with id 1 and gets the signals itself. It writes nothing outside /tmp, and with
# UsePerfData off nothing there either, so the root file system may be read-only. The heap follows
# the memory limit of the container; below some 312 MiB of it Java goes by MinRAMPercentage. It is kept
# small as docs/decisions/0038-an-idle-operator-gives-memory-back.md says. Reflection by generated code
# would cost a start more than it ever saves. The order of ciphers is explained in
# docs/decisions/0115-chacha20-is-offered-first.md. SEI_* variables are described in docs/configuration.md.
ENTRYPOINT ["/opt/sei-operator/jre/bin/java", \
  "-XX:SharedArchiveFile=/opt/sei-operator/sei-operator.jsa", \
  "-XX:+UseSerialGC", \
  "-XX:+UseCompactObjectHeaders", \
  "-XX:TieredStopAtLevel=1", \
  "-XX:MaxRAMPercentage=40", \
  "-XX:MinRAMPercentage=40", \
  "-XX:NewRatio=9", \
  "-XX:MinHeapFreeRatio=5", \
  "-XX:MaxHeapFreeRatio=10", \
  "-XX:-ShrinkHeapInSteps", \
  "-XX:ReservedCodeCacheSize=16m", \
  "-XX:TrimNativeHeapInterval=60000", \
  "-XX:-UsePerfData", \
  "-XX:+ExitOnOutOfMemoryError", \
  "-Djdk.reflect.useNativeAccessorOnly=true", \
  "-Djdk.tls.client.cipherSuites=TLS_CHACHA20_POLY1305_SHA256,TLS_AES_128_GCM_SHA256,TLS_AES_256_GCM_SHA384,TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", \
  "-jar", "/opt/sei-operator/sei-operator.jar"]
