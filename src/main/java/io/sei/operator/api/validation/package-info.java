/** The rules of a spec, for stored objects that break one harmfully. */
package io.sei.operator.api.validation;
