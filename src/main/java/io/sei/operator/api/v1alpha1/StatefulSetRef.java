package io.sei.operator.api.v1alpha1;

import io.fabric8.generator.annotation.Required;

/** Identity of a StatefulSet: its name alone would also match one that took its place. */
public record StatefulSetRef(@Required String name, @Required String uid) {}
