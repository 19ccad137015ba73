/**
 * Client of the API of the sidecar. Before each request {@code SidecarAccess} judges whether the
 * pod still has its address and which token its proxy accepts.
 *
 * <p>Uses {@code base}, {@code config}.
 *
 * <p>Begin with {@link SidecarClient} then {@link SidecarAccess} and {@link TaskSubmitter}.
 */
package io.sei.operator.sidecar;
