/** Availability of a fleet's nodes, and what may be taken down within {@code maxUnavailable}. */
package io.sei.operator.disruption;
