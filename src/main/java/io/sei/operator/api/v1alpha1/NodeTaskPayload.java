package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;

/** The parameters of a task; their names are those of the sidecar's. */
public sealed interface NodeTaskPayload {

  /**
   * Parameters of a task that signs a transaction. Limits and descriptions are inherited by the
   * fields of the records; {@code @Required} is not read from here.
   */
  sealed interface Transaction extends NodeTaskPayload {

    /** The chain that it is for. */
    @Size(min = 1, max = 64)
    @JsonPropertyDescription("The chain that it is for.")
    String chainId();

    /** The key that signs it; null for the one of the node's keyring. */
    @Size(max = 64)
    @Pattern(Patterns.KEY_NAME)
    @JsonPropertyDescription("The key that signs; that of the node's keyring if unset.")
    String keyName();

    /** Note on the transaction. */
    @Size(max = 256)
    @JsonPropertyDescription("Note on the transaction.")
    String memo();

    /** Fees with their denomination. */
    @Size(min = 1, max = 128)
    @JsonPropertyDescription("Such as 4000usei.")
    String fees();

    /** Limit of gas. */
    @Min(1)
    @JsonPropertyDescription("Limit of gas.")
    Long gas();
  }

  /** Parameters of a task that makes a proposal. */
  sealed interface Proposal extends Transaction {

    /** Title of the proposal. */
    @Size(min = 1, max = 256)
    @JsonPropertyDescription("Title of the proposal.")
    String title();

    /** Text of the proposal. */
    @Size(min = 1, max = 10240)
    @JsonPropertyDescription("Text of the proposal.")
    String description();

    /** Deposit with its denomination. */
    @Size(min = 1, max = 128)
    @JsonPropertyDescription("Such as 1000000usei.")
    String initialDeposit();
  }

  /** An option of a vote. */
  enum VoteOption {
    YES("yes"),
    NO("no"),
    ABSTAIN("abstain"),
    NO_WITH_VETO("no_with_veto"),
    NO_WITH_VETO_DASHED("no-with-veto");

    private final String value;

    VoteOption(String value) {
      this.value = value;
    }

    @JsonValue
    @Override
    public String toString() {
      return value;
    }
  }

  /** Action once a condition is met. */
  enum AwaitAction {
    SIGTERM_SEID;

    @JsonValue
    @Override
    public String toString() {
      return name();
    }
  }

  /** A proposal to upgrade the chain. */
  record GovSoftwareUpgrade(
      @Required String chainId,
      String keyName,
      @Required String title,
      @Required String description,
      @Required @Size(min = 1, max = 256) @JsonPropertyDescription("Name of the upgrade.")
          String upgradeName,
      @Required @Min(1) @JsonPropertyDescription("Height of the upgrade.") Long upgradeHeight,
      @Size(max = 10240) @JsonPropertyDescription("Further information in the plan.")
          String upgradeInfo,
      @Required String initialDeposit,
      String memo,
      @Required String fees,
      @Required Long gas)
      implements Proposal {}

  /** A vote on a proposal. */
  record GovVote(
      @Required String chainId,
      String keyName,
      @Required @Min(1) @JsonPropertyDescription("Number of the proposal.") Long proposalId,
      @Required @JsonPropertyDescription("The vote.") VoteOption option,
      String memo,
      @Required String fees,
      @Required Long gas)
      implements Transaction {}

  /** A proposal to change parameters of the chain. */
  record GovParamChange(
      @Required String chainId,
      String keyName,
      @Required String title,
      @Required String description,
      @Required @Size(min = 1, max = 64) @JsonPropertyDescription("Parameters to change.")
          List<ParamChange> changes,
      @Required String initialDeposit,
      String memo,
      @Required String fees,
      @Required Long gas)
      implements Proposal {}

  /** A parameter of the chain and its new value. */
  record ParamChange(
      @Required @Size(min = 1, max = 64) @JsonPropertyDescription("The module.") String subspace,
      @Required @Size(min = 1, max = 64) @JsonPropertyDescription("The parameter.") String key,
      @Required @JsonPropertyDescription("Any JSON.") JsonNode value) {}

  /** A proposal that says who may instantiate stored code. */
  record GovUpdateInstantiateConfig(
      @Required String chainId,
      String keyName,
      @Required String title,
      @Required String description,
      @Required
          @Size(min = 1, max = 64)
          @JsonPropertyDescription("Codes and their new permissions.")
          List<InstantiateConfig> updates,
      @Required String initialDeposit,
      String memo,
      @Required String fees,
      @Required Long gas)
      implements Proposal {}

  /** Accounts that may instantiate a stored code. */
  record InstantiateConfig(
      @Required @Min(1) @JsonPropertyDescription("Number of the code.") Long codeId,
      @Required
          @Size(min = 1, max = 128)
          @Pattern(Patterns.PERMISSION)
          @JsonPropertyDescription(
              "Accounts that may instantiate the code: nobody, everybody or an address.")
          String permission) {}

  /** Has a jailed validator take part again. */
  record Unjail(
      @Required String chainId,
      String keyName,
      String memo,
      @Required String fees,
      @Required Long gas)
      implements Transaction {}

  /** A condition that is waited for. */
  @ValidationRule(
      value = "has(self.height)",
      message = "exactly one condition must be set (currently: height)")
  record AwaitCondition(
      @JsonPropertyDescription("A height of the node.") Height height,
      @JsonPropertyDescription(
              "Action afterwards: SIGTERM_SEID ends seid, which starts again; none if unset.")
          AwaitAction action)
      implements NodeTaskPayload {

    /** A height of the node. */
    public record Height(
        @Required @Min(1) @JsonPropertyDescription("The height.") Long targetHeight) {}
  }

  /** A height that is waited for. */
  record AwaitNodesAtHeight(
      @Required @Min(1) @JsonPropertyDescription("The height.") Long targetHeight)
      implements NodeTaskPayload {}

  /** Another image of seid. */
  record UpdateNodeImage(
      @Required @Size(min = 1, max = 512) @JsonPropertyDescription("The image.") String image)
      implements NodeTaskPayload {}

  /** Parameters of RestartSeid: none. Without the annotation an empty record cannot be written. */
  @JsonSerialize
  record RestartSeid() implements NodeTaskPayload {}

  /** Parameters of MarkReady: none. */
  @JsonSerialize
  record MarkReady() implements NodeTaskPayload {}
}
