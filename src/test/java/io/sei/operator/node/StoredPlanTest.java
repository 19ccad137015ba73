package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.testkit.Cases;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Continues plans that another build, or a user, has written to the status. */
class StoredPlanTest extends RolloutTestCase {

  private static final String TARGET =
      "'target':{'generation':1,'specHash':'v1:0','image':'sei:x','sidecarImage':'s','statefulSetUid':'%s'}";

  static Stream<String> foreignPlans() {
    return Cases.of(
        2,
        // an unknown task
        "{'id':'1','kind':'Update','phase':'Active','tasks':[{'type':'no-such','id':'1','status':'Pending'}]}",
        // as the Go operator stores them: nothing captured
        "{'id':'1','phase':'Active','tasks':[{'type':'replace-pod','id':'1','status':'Pending'}],'targetPhase':'Running'}",
        // a target nobody asked for
        "{'id':'1','kind':'Update','phase':'Active',"
            + TARGET
            + ",'tasks':[{'type':'replace-pod','id':'1','status':'Pending'}]}",
        // nothing to do, and nothing captured
        "{'id':'1','kind':'Init','phase':'Active','tasks':[]}",
        "{'id':'1','kind':'Init','phase':'Failed','tasks':[],'failedPhase':'Failed'}");
  }

  @ParameterizedTest
  @MethodSource("foreignPlans")
  void foreignPlanIsReplacedAndNoPodIsTouched(String plan) {
    createRunning();
    String pod = podUid();

    storePlan(plan);
    operator.restart();

    eventually(() -> assertThat(plan()).isNull());
    awaitUpToDate(A);
    stays(() -> assertThat(podUid()).isEqualTo(pod));
    assertThat(podDeletes()).isZero();
    assertThat(node().getStatus().phase()).isEqualTo(NodePhase.RUNNING);
  }

  private void storePlan(String plan) {
    patchStatus(node(), "{'status':{'plan':" + plan + "}}");
  }
}
