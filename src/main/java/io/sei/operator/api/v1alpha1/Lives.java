package io.sei.operator.api.v1alpha1;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** How long what a field of a status says holds; see {@link SeiNodeStatus#withoutData}. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Lives {

  /** The life of the field. */
  Life value();

  /** From the shortest to the longest. */
  enum Life {
    /** As long as the pod. */
    POD,
    /** As long as the data on the volume: the next data has never been run. */
    DATA,
    /** As long as the node. */
    NODE
  }
}
