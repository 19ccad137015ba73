package io.sei.operator.fleet.status;

import io.sei.operator.api.v1alpha1.Reason;

/** What a condition says. */
record Says(boolean value, Reason reason, String message) {}
