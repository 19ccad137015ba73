package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.testkit.SidecarVersion;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Keys that a user sets in seid's files as they are. */
class ConfigValuesTest extends ConfigTestCase {

  private static final String VALIDATE = "config-validate";

  @BeforeEach
  void newSidecar() {
    sidecar.version(SidecarVersion.V0_0_70);
  }

  @Test
  void valuesAreSetBeforeTheFirstStartChangedTakenOutAndRefusedByName() {
    create(
        specOf(
            "'fullNode':{},'configValues':["
                + "{'fileName':'app.toml','key':'giga.workers','value':16},"
                + "{'fileName':'client.toml','key':'broadcast-mode','value':'sync'}]"));
    awaitUpToDate(A);
    assertValues("16.0", "sync");
    int tasks = submitted().size();

    patch(
        "{'spec':{'configValues':[{'fileName':'app.toml','key':'giga.workers','value':32}],"
            + "'overrides':{'mempool.size':'10'}}}");

    eventually(() -> assertValues("32.0", ""));
    awaitUpToDate(A);
    assertThat(submittedAfter(tasks))
        .containsExactly(
            apply(true, "'logging.level':'info','mempool.size':'10'"),
            task(
                "config-patch {'files':{'app.toml':{'giga':{'workers':32}},"
                    + "'client.toml':{'broadcast-mode':null}}}"),
            VALIDATE,
            SidecarTaskTypes.RESTART_SEID);
    int changed = submitted().size();

    patch("{'spec':{'configValues':null,'overrides':null}}");

    eventually(() -> assertValues("", ""));
    awaitUpToDate(A);
    assertThat(submittedAfter(changed))
        .containsExactly(
            apply(false, "'logging.level':'info'"), VALIDATE, SidecarTaskTypes.RESTART_SEID);
    assertThat(images()).containsExactly(A);
    assertThat(podDeletes()).isZero();
    assertRefusedByName();
  }

  private void assertRefusedByName() {
    assertThatThrownBy(
            () ->
                patch(
                    "{'spec':{'configValues':[{'fileName':'app.toml','key':'a','value':1},"
                        + "{'fileName':'app.toml','key':'a.b','value':1}]}}"))
        .hasMessageContaining("a key and another one within it cannot both be set");
    assertThatThrownBy(
            () ->
                patch("{'spec':{'configValues':[{'fileName':'app.toml','key':'a','value':null}]}}"))
        .hasMessageContaining("spec.configValues[0].value");
    patch(
        "{'spec':{'configValues':[{'fileName':'app.toml','key':'a','value':[9007199254740993]}]}}");

    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, StallReason.INVALID_SPEC);
    assertThat(condition(NodeConditionType.READY).message())
        .contains("spec.configValues[0].value[0]: must be a number");
    patch("{'spec':{'configValues':null}}");

    awaitUpToDate(A);
  }

  /** The sidecar writes them, and seid panics: a validator's configuration has no state store. */
  @Tag("long")
  @Test
  void snapshotsOfAValidatorAreAnInvalidConfiguration() {
    create(specOf("'validator':{},'overrides':{'storage.snapshot_interval':'50'}"));

    awaitCondition(NodeConditionType.STALLED, ConditionStatus.TRUE, StallReason.CONFIG_INVALID);
    assertThat(condition(NodeConditionType.STALLED).message())
        .contains("SeiDB SS store needs to be enabled when snapshot interval 50 > 0");
    patch("{'spec':{'overrides':null}}");

    awaitUpToDate(A);
  }

  private void assertValues(String workers, String mode) {
    var home = sidecar.home(namespace, NODE);
    assertThat(home.setting("app.toml", "giga.workers").orElse("")).isEqualTo(workers);
    assertThat(home.setting("client.toml", "broadcast-mode").orElse("")).isEqualTo(mode);
  }

  private static String apply(boolean incremental, String keys) {
    return task(
        "config-apply {'mode':'full','incremental':%s,'targetVersion':0,'overrides':{%s}}"
            .formatted(incremental, keys));
  }
}
