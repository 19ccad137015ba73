# syntax=docker/dockerfile:1
# Not built by the tests of this repository, which need no container engine. The Maven command and
# the command line of the entrypoint, its flags included, are what the tests and the demo run.

FROM maven:3.9-eclipse-temurin-17 AS build
WORKDIR /src
COPY pom.xml ./
COPY src src
RUN CI=true mvn -B -ntp -q package -DskipTests

FROM eclipse-temurin:17-jre
LABEL org.opencontainers.image.title="sei-operator" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /src/target/sei-operator.jar /opt/sei-operator/sei-operator.jar
COPY LICENSE /opt/sei-operator/LICENSE
# A number, because a name cannot be checked against runAsNonRoot.
USER 65532:65532
EXPOSE 8080 8081
# Java is the process with id 1 and gets the signals itself. It writes nothing outside /tmp, and with
# UsePerfData off nothing there either, so the root file system may be read-only. The heap follows
# the memory limit of the container. SEI_* variables are described in docs/configuration.md.
ENTRYPOINT ["java", \
  "-XX:+UseSerialGC", \
  "-XX:TieredStopAtLevel=1", \
  "-XX:MaxRAMPercentage=25", \
  "-XX:-UsePerfData", \
  "-XX:+ExitOnOutOfMemoryError", \
  "-jar", "/opt/sei-operator/sei-operator.jar"]
