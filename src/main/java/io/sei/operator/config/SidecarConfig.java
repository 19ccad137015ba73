package io.sei.operator.config;

import java.time.Duration;
import java.util.Optional;

/**
 * The sidecar of a node, and how it is reached.
 *
 * @param image image where a node names none
 * @param url where it answers
 * @param timeout what one request may take, connecting included
 * @param account ServiceAccount as which sidecars are called; empty sends no token
 */
public record SidecarConfig(
    String image, UrlTemplate url, Duration timeout, Optional<ServiceAccountRef> account) {}
