package io.sei.operator.plan;

import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.impl.NameBasedGenerator;
import java.util.UUID;

/** Ids of tasks: the same step of the same plan has the same id on every replica. */
public final class TaskIds {

  /** Namespace of the UUIDv5 names; stored ids were computed with it. */
  private static final UUID NAMESPACE = UUID.fromString("b7e89c3a-4f12-4d8b-9a6e-1c2d3e4f5a6b");

  private TaskIds() {}

  /** UUIDv5 of {@code planId/taskType/index}. */
  public static String of(String planId, String taskType, int index) {
    NameBasedGenerator generator = Generators.nameBasedGenerator(NAMESPACE);
    return generator.generate(planId + "/" + taskType + "/" + index).toString();
  }
}
