package io.sei.operator.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * A Prometheus that has the volume statistics of kubelets.
 *
 * @param url what its paths are appended to, without a slash at its end; empty where none is named
 * @param tokenFile bearer token that it is shown, over TLS alone; need not exist
 * @param caFile certificates in PEM that may sign its own; empty trusts whom Java trusts
 * @param interval how often it is asked
 */
public record PrometheusConfig(
    Optional<URI> url, Optional<Path> tokenFile, Optional<Path> caFile, Duration interval) {}
