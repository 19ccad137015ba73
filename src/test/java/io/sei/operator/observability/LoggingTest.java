package io.sei.operator.observability;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.joran.spi.JoranException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The logging configuration that is shipped, as the logging library reads it. */
class LoggingTest {

  @Test
  void oneLineSaysWhenWhereAndWhat() {
    var mdc = Map.of("resource.namespace", "sei", "resource.name", "rpc-0");

    assertThat(line("phase Running", null, mdc))
        .matches(
            "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z WARN  \\[sei/rpc-0\\]"
                + " Reconciler phase Running *\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\nERROR forged", "a\r\nb", "a\u001b[2Jb", "a\u0085b", "a\u2028b\u2029"})
  void noMessageAddsALine(String message) {
    assertThat(line(message, null, Map.of())).matches("[\\p{Print}]+\n");
    assertThat(line("{}", null, Map.of(), message)).matches("[\\p{Print}]+\n");
  }

  @Test
  void noNameAddsALine() {
    assertThat(line("m", null, Map.of("resource.name", "rpc\nERROR forged")))
        .contains("[/rpc ERROR forged]")
        .containsOnlyOnce("\n")
        .endsWith("\n");
  }

  @Test
  void aStackTraceIsOneLineAndComesOnce() {
    var error = new IllegalStateException("first\nsecond", new RuntimeException("root"));

    assertThat(line("failed", error, Map.of()))
        .contains("failed java.lang.IllegalStateException: first second at io.sei.operator")
        .contains("Caused by: java.lang.RuntimeException: root")
        .containsOnlyOnce("IllegalStateException")
        .containsOnlyOnce("\n")
        .endsWith("\n");
  }

  @ParameterizedTest
  @CsvSource({"debug, DEBUG", "WARN, WARN", "'', INFO", "'  ', INFO", ", INFO"})
  void theLevelComesFromTheEnvironment(String value, String level) {
    var context = new LoggerContext();
    if (value != null) {
      context.putProperty("SEI_LOG_LEVEL", value);
    }

    assertThat(configured(context).getLogger(Logger.ROOT_LOGGER_NAME).getLevel())
        .isEqualTo(Level.valueOf(level));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "text"})
  void theFormatIsTextUnlessTheEnvironmentSaysOtherwise(String format) {
    assertThat(line(format, "phase {}", null, Map.of(), "Running"))
        .isEqualTo(line("phase Running", null, Map.of()));
  }

  @Test
  void aLineOfJsonIsOneObject() throws IOException {
    String line =
        line(
            "json",
            "phase {}",
            new IllegalStateException("first\nsecond"),
            Map.of("resource.name", "rpc\n{}"),
            "Running");

    assertThat(line).containsOnlyOnce("\n").endsWith("\n");
    JsonNode event = new ObjectMapper().readTree(line);
    assertThat(event.path("level").asText()).isEqualTo("WARN");
    assertThat(event.path("loggerName").asText()).isEqualTo("io.sei.operator.node.Reconciler");
    assertThat(event.path("formattedMessage").asText()).isEqualTo("phase Running");
    assertThat(event.path("mdc").path("resource.name").asText()).isEqualTo("rpc\n{}");
    assertThat(event.path("throwable").path("message").asText()).isEqualTo("first\nsecond");
  }

  private static String line(
      String message, Throwable error, Map<String, String> mdc, Object... arguments) {
    return line("text", message, error, mdc, arguments);
  }

  private static String line(
      String format,
      String message,
      Throwable error,
      Map<String, String> mdc,
      Object... arguments) {
    var context = new LoggerContext();
    context.putProperty("SEI_LOG_FORMAT", format);
    configured(context);
    var logger = context.getLogger("io.sei.operator.node.Reconciler");
    var event = new LoggingEvent("", logger, Level.WARN, message, error, arguments);
    event.setMDCPropertyMap(mdc);
    event.setInstant(Instant.EPOCH);
    var appender =
        (ConsoleAppender<ILoggingEvent>)
            context.getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders().next();
    return new String(appender.getEncoder().encode(event), UTF_8);
  }

  private static LoggerContext configured(LoggerContext context) {
    var configurator = new JoranConfigurator();
    configurator.setContext(context);
    try {
      configurator.doConfigure(LoggingTest.class.getResource("/logback.xml"));
    } catch (JoranException e) {
      throw new AssertionError(e);
    }
    return context;
  }
}
