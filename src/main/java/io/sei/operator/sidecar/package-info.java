/**
 * Client of the sidecar's API. {@code SidecarAccess} says before each request whether the pod still
 * has its address and which token its proxy accepts.
 */
package io.sei.operator.sidecar;
