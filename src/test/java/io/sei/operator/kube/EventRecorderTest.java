package io.sei.operator.kube;

import static io.sei.operator.kube.ObjectEvent.normal;
import static io.sei.operator.kube.ObjectEvent.warning;
import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

@EnableKubernetesMockClient(crud = true, https = false)
class EventRecorderTest {
  private static final ConfigMap NODE = object("rpc-0", "uid-1");

  /** Longer than twenty requests take on a slow machine. */
  private static final Duration FLUSH = Duration.ofMinutes(1);

  KubernetesMockServer server;
  KubernetesClient client;
  private Instant now = Instant.parse("2026-01-01T00:00:00.123Z");
  private final Clock clock = ((InstantSource) () -> now).withZone(ZoneOffset.UTC);
  private EventRecorder recorder;

  @BeforeEach
  void setUp() {
    recorder = new EventRecorder(client, "seinode-controller", "host-1", clock, 100, FLUSH);
  }

  @AfterEach
  void tearDown() {
    recorder.close();
  }

  @Test
  void recordsAnEvent() {
    recorder.record(NODE, warning("Stalled", "image pull"));

    var event = eventually(1).get(0);
    assertThat(event.getMetadata().getName()).matches("rpc-0\\.[0-9a-f]{16}");
    assertThat(event.getMetadata().getNamespace()).isEqualTo("sei");
    assertThat(event.getInvolvedObject())
        .returns("v1", r -> r.getApiVersion())
        .returns("ConfigMap", r -> r.getKind())
        .returns("sei", r -> r.getNamespace())
        .returns("rpc-0", r -> r.getName())
        .returns("uid-1", r -> r.getUid());
    assertThat(event)
        .returns("Warning", Event::getType)
        .returns("Stalled", Event::getReason)
        .returns("image pull", Event::getMessage)
        .returns(1, Event::getCount)
        .returns("2026-01-01T00:00:00Z", Event::getFirstTimestamp)
        .returns("2026-01-01T00:00:00Z", Event::getLastTimestamp)
        .returns("seinode-controller", e -> e.getSource().getComponent())
        .returns("seinode-controller", Event::getReportingComponent)
        .returns("host-1", Event::getReportingInstance);
  }

  @Test
  void eachOccurrenceIsALineOfTheLogThatCanBeSearched() {
    // Tests of other nodes log beside this one.
    ConfigMap logged = object("logged-0", "uid-9");
    Logger log = (Logger) LoggerFactory.getLogger("io.sei.operator.Event");
    var lines = new ListAppender<ILoggingEvent>();
    lines.start();
    log.setLevel(Level.INFO);
    log.addAppender(lines);
    try {
      recorder.record(logged, warning("Stalled", "image pull"));
      recorder.record(logged, normal("Recovered", "the image is there"));
    } finally {
      log.setLevel(Level.OFF);
      log.detachAppender(lines);
    }

    assertThat(lines.list)
        .filteredOn(line -> line.getFormattedMessage().startsWith("ConfigMap logged-0"))
        .extracting(line -> line.getLevel() + " " + line.getFormattedMessage())
        .containsExactly(
            "WARN ConfigMap logged-0: Stalled: image pull",
            "INFO ConfigMap logged-0: Recovered: the image is there");
    assertThat(lines.list)
        .extracting(ILoggingEvent::getMDCPropertyMap)
        .anySatisfy(
            fields ->
                assertThat(fields)
                    .containsEntry("event.kind", "ConfigMap")
                    .containsEntry("event.namespace", "sei")
                    .containsEntry("event.name", "logged-0")
                    .containsEntry("event.reason", "Stalled"));
  }

  @Test
  void countsUpWhatRepeats() throws InterruptedException {
    for (int i = 0; i < 3; i++) {
      recorder.record(NODE, normal("RolloutStarted", "to v2"));
      now = now.plus(Duration.ofMinutes(9));
    }

    await().until(() -> events().size() == 1 && events().get(0).getCount() == 3);
    assertThat(events().get(0))
        .returns("2026-01-01T00:00:00Z", Event::getFirstTimestamp)
        .returns("2026-01-01T00:18:00Z", Event::getLastTimestamp);
    // Its permissions are create and patch, so it must not read.
    assertThat(requests()).filteredOn(r -> r.startsWith("GET") && !r.endsWith("/events")).isEmpty();
  }

  @Test
  void whatDiffersOrIsOldIsANewEvent() {
    recorder.record(NODE, normal("A", "m"));
    recorder.record(NODE, warning("A", "m"));
    recorder.record(NODE, normal("B", "m"));
    recorder.record(NODE, normal("A", "n"));
    recorder.record(object("rpc-0", "uid-2"), normal("A", "m"));
    now = now.plus(Duration.ofMinutes(10));
    recorder.record(NODE, normal("A", "m"));

    assertThat(eventually(6)).extracting(Event::getCount).containsOnly(1);
  }

  @Test
  void anExpiredEventIsCreatedAnew() {
    recorder.record(NODE, normal("A", "m"));
    var first = eventually(1).get(0);
    client.resource(first).delete();

    recorder.record(NODE, normal("A", "m"));

    assertThat(eventually(1).get(0))
        .returns(1, Event::getCount)
        .doesNotReturn(first.getMetadata().getName(), e -> e.getMetadata().getName());
  }

  @Test
  void cutsMessageAndName() {
    recorder.record(object("n".repeat(250), "u"), normal("A", "x".repeat(1023) + "😀"));

    var event = eventually(1).get(0);
    assertThat(event.getMessage()).isEqualTo("x".repeat(1023));
    assertThat(event.getMetadata().getName()).hasSize(253);
  }

  @Test
  void eventsOfClusterWideObjectsGoToTheDefaultNamespace() {
    var node = object("worker", "u");
    node.getMetadata().setNamespace(null);

    recorder.record(node, normal("A", null));

    assertThat(eventually(1).get(0))
        .returns("default", e -> e.getMetadata().getNamespace())
        .returns("", Event::getMessage);
  }

  @Test
  void closingFlushes() {
    for (int i = 0; i < 20; i++) {
      recorder.record(NODE, normal("A", "message " + i));
    }

    recorder.close();

    assertThat(events()).hasSize(20);
    recorder.record(NODE, normal("A", "too late"));
    assertThat(events()).hasSize(20);
  }

  private List<Event> events() {
    return client.v1().events().inAnyNamespace().list().getItems();
  }

  private List<Event> eventually(int count) {
    return await().until(this::events, found -> found.size() == count);
  }

  private List<String> requests() throws InterruptedException {
    var seen = new ArrayList<String>();
    while (server.getRequestCount() > seen.size()) {
      var request = server.takeRequest();
      seen.add(request.getMethod() + " " + request.getPath());
    }
    return seen;
  }

  private static ConfigMap object(String name, String uid) {
    return yaml(ConfigMap.class, "metadata: {namespace: sei, name: %s, uid: %s}", name, uid);
  }
}
