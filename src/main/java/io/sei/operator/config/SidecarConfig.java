package io.sei.operator.config;

import java.nio.file.Path;
import java.time.Duration;

/**
 * The sidecar of a node, and how it is reached.
 *
 * @param image image where a node names none
 * @param url where it answers
 * @param timeout what one request may take, connecting included
 * @param tokenFile bearer token for proxies without an audience; need not exist
 * @param audienceTokenFile bearer token for the audience of the proxies; need not exist
 */
public record SidecarConfig(
    String image, UrlTemplate url, Duration timeout, Path tokenFile, Path audienceTokenFile) {}
