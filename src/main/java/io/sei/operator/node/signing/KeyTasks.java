package io.sei.operator.node.signing;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Validator.KeyringSecret;
import io.sei.operator.api.v1alpha1.Validator.RemoteSigner;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.IrreversibleAct;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.node.feature.PlanShape;
import io.sei.operator.node.feature.Slot;
import io.sei.operator.plan.PlanTrigger;
import io.sei.operator.plan.PlanTrigger.PlanConflict;
import io.sei.operator.plan.PlanTrigger.Rank;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.TaskType;
import io.sei.operator.plan.Traits;
import io.sei.operator.reconcile.Veto;
import io.sei.operator.render.PodParts;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Has a validator's keys looked at before there is a pod to mount them, or before the one that does
 * goes, and the chain that they sign for before seid starts.
 */
record KeyTasks(KubeApi api, SigningKeyGuard guard) {

  private static final String SIGNING_KEY = "validate-signing-key";
  private static final String NODE_KEY = "validate-node-key";
  private static final String OPERATOR_KEYRING = "validate-operator-keyring";
  private static final Set<String> TYPES = Set.of(SIGNING_KEY, NODE_KEY, OPERATOR_KEYRING);

  void operations(OperationParts operations) {
    operations
        .task(type(SIGNING_KEY, ValidateKeyTask.ofSigningKey(api, guard)))
        .task(type(NODE_KEY, ValidateKeyTask.ofNodeKey(api)))
        .task(type(OPERATOR_KEYRING, ValidateKeyTask.ofOperatorKeyring(api)))
        .trigger(PlanConflict.FAILED, KeyTasks::ofFailure)
        .steps(Slot.BEFORE_POD, KeyTasks::steps);
  }

  /** What was valid for one plan need not be for the next. */
  private static TaskType<NodePass, ?> type(String name, ValidateKeyTask task) {
    return TaskType.of(name, Traits.OF_OPERATOR, task::run);
  }

  /**
   * Looks again after a plan that failed at one of them, as plans of the Go operator do where a
   * Secret is of no use. A plan of ours waits for it.
   */
  private static Optional<PlanTrigger> ofFailure(NodeView view) {
    return view.stored()
        .plan()
        .currentTask()
        .map(PlannedTask::type)
        .filter(TYPES::contains)
        .map(
            type ->
                PlanTrigger.of(
                    Rank.POD, view.podPlan(), "the Secrets with keys are checked again"));
  }

  void pod(SeiNode node, PodParts pod) {
    SeiNodeSpec spec = node.getSpec();
    KeyMounts.add(spec, pod);
    SigningKeyCheck.add(node, pod);
    if (spec.signingKeySecret().isPresent() || spec.remoteSigner().isPresent()) {
      pod.beforeSeid(new SignedChain(spec.chainId()).script());
    }
  }

  Veto veto(IrreversibleAct act, NodePass pass) {
    return switch (act) {
      case START_POD -> isHeld(pass.node()) ? guard.checkIdle(pass) : guard.check(pass);
      case RELEASE_SEID -> guard.mayRelease(pass);
      case INTERRUPT_SEID, UPDATE_POD, END_POD -> Veto.none();
    };
  }

  /**
   * Nothing for a validator that ran and is to be held: seid is ended then, and signs with no key.
   * The plan that starts it again checks the keys, and so does the one that creates a first pod.
   */
  private static Stream<Step> steps(NodeView view, PlanShape shape) {
    boolean ends = shape == PlanShape.UPDATE && isHeld(view.node());
    return ends ? Stream.empty() : of(view);
  }

  private static boolean isHeld(SeiNode node) {
    return node.getSpec().holding().isPresent();
  }

  private static Stream<Step> of(NodeView view) {
    SeiNodeSpec spec = view.node().getSpec();
    String namespace = view.node().getMetadata().getNamespace();
    return Stream.of(
            spec.signingKeySecret().map(name -> new Step(SIGNING_KEY, secret(namespace, name))),
            spec.remoteSigner().map(signer -> new Step(SIGNING_KEY, publicKey(signer))),
            spec.nodeKeySecret().map(name -> new Step(NODE_KEY, secret(namespace, name))),
            spec.operatorKeyring()
                .map(secret -> new Step(OPERATOR_KEYRING, keyring(namespace, secret))))
        .flatMap(Optional::stream);
  }

  private static ObjectNode secret(String namespace, String name) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("namespace", namespace)
        .put("secretName", name);
  }

  private static ObjectNode publicKey(RemoteSigner signer) {
    return JsonNodeFactory.instance.objectNode().put("publicKey", signer.publicKey());
  }

  private static ObjectNode keyring(String namespace, KeyringSecret keyring) {
    return secret(namespace, keyring.secretName())
        .put("keyName", keyring.keyName())
        .put("passphraseSecretName", keyring.passphraseSecretRef().secretName())
        .put("passphraseSecretKey", keyring.passphraseSecretRef().key());
  }
}
