package io.sei.operator.api.validation;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Optional;

/** The moments of a cron expression of five fields, in UTC. */
public final class CronSchedule {

  private static final CronParser PARSER =
      new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX));

  private final ExecutionTime times;

  private CronSchedule(ExecutionTime times) {
    this.times = times;
  }

  /**
   * Reads an expression.
   *
   * @throws IllegalArgumentException says what is wrong with it
   */
  public static CronSchedule parse(String expression) {
    var schedule = new CronSchedule(ExecutionTime.forCron(PARSER.parse(expression).validate()));
    if (schedule.after(Instant.EPOCH).isEmpty()) {
      throw new IllegalArgumentException("it matches no date");
    }
    return schedule;
  }

  /** The first moment after {@code time}. */
  public Optional<Instant> after(Instant time) {
    return times.nextExecution(time.atZone(ZoneOffset.UTC)).map(ZonedDateTime::toInstant);
  }

  /** The last moment that is not after {@code time}. */
  public Optional<Instant> upTo(Instant time) {
    return times
        .lastExecution(time.plusSeconds(1).atZone(ZoneOffset.UTC))
        .map(ZonedDateTime::toInstant);
  }
}
