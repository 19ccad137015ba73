/** Client of a Prometheus that knows how full volumes are, and, pure, what it answers. */
package io.sei.operator.usage;
