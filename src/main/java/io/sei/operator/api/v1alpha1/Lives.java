package io.sei.operator.api.v1alpha1;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Lifetime of a status field's value; see {@link SeiNodeStatus#withoutData}. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Lives {

  /** The life of the field. */
  Life value();

  /** Lifetimes, shortest first. */
  enum Life {
    /** The value is valid for one pod. */
    POD,
    /** The value is valid for the data on one volume. */
    DATA,
    /** The value is valid for the node. */
    NODE
  }
}
