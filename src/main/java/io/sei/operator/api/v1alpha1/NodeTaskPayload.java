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

  /** Those of a task that signs a transaction. */
  sealed interface Transaction extends NodeTaskPayload {

    /** The chain that it is for. */
    String chainId();

    /** The key that signs it; null for the one of the node's keyring. */
    String keyName();
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

  /** What to do once a condition holds. */
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
      @Required @Size(min = 1, max = 64) @JsonPropertyDescription("The chain that it is for.")
          String chainId,
      @Size(max = 64)
          @Pattern(Patterns.KEY_NAME)
          @JsonPropertyDescription("The key that signs; that of the node's keyring if unset.")
          String keyName,
      @Required @Size(min = 1, max = 256) @JsonPropertyDescription("Title of the proposal.")
          String title,
      @Required @Size(min = 1, max = 10240) @JsonPropertyDescription("Text of the proposal.")
          String description,
      @Required @Size(min = 1, max = 256) @JsonPropertyDescription("Name of the upgrade.")
          String upgradeName,
      @Required @Min(1) @JsonPropertyDescription("Height of the upgrade.") Long upgradeHeight,
      @Size(max = 10240) @JsonPropertyDescription("What the plan says besides.") String upgradeInfo,
      @Required @Size(min = 1, max = 128) @JsonPropertyDescription("Such as 1000000usei.")
          String initialDeposit,
      @Size(max = 256) @JsonPropertyDescription("Note on the transaction.") String memo,
      @Required @Size(min = 1, max = 128) @JsonPropertyDescription("Such as 4000usei.") String fees,
      @Required @Min(1) @JsonPropertyDescription("Limit of gas.") Long gas)
      implements Transaction {}

  /** A vote on a proposal. */
  record GovVote(
      @Required @Size(min = 1, max = 64) @JsonPropertyDescription("The chain that it is for.")
          String chainId,
      @Size(max = 64)
          @Pattern(Patterns.KEY_NAME)
          @JsonPropertyDescription("The key that signs; that of the node's keyring if unset.")
          String keyName,
      @Required @Min(1) @JsonPropertyDescription("Number of the proposal.") Long proposalId,
      @Required @JsonPropertyDescription("The vote.") VoteOption option,
      @Size(max = 256) @JsonPropertyDescription("Note on the transaction.") String memo,
      @Required @Size(min = 1, max = 128) @JsonPropertyDescription("Such as 4000usei.") String fees,
      @Required @Min(1) @JsonPropertyDescription("Limit of gas.") Long gas)
      implements Transaction {}

  /** A proposal to change parameters of the chain. */
  record GovParamChange(
      @Required @Size(min = 1, max = 64) @JsonPropertyDescription("The chain that it is for.")
          String chainId,
      @Size(max = 64)
          @Pattern(Patterns.KEY_NAME)
          @JsonPropertyDescription("The key that signs; that of the node's keyring if unset.")
          String keyName,
      @Required @Size(min = 1, max = 256) @JsonPropertyDescription("Title of the proposal.")
          String title,
      @Required @Size(min = 1, max = 10240) @JsonPropertyDescription("Text of the proposal.")
          String description,
      @Required @Size(min = 1, max = 64) @JsonPropertyDescription("What changes.")
          List<ParamChange> changes,
      @Required @Size(min = 1, max = 128) @JsonPropertyDescription("Such as 1000000usei.")
          String initialDeposit,
      @Size(max = 256) @JsonPropertyDescription("Note on the transaction.") String memo,
      @Required @Size(min = 1, max = 128) @JsonPropertyDescription("Such as 4000usei.") String fees,
      @Required @Min(1) @JsonPropertyDescription("Limit of gas.") Long gas)
      implements Transaction {}

  /** A parameter of the chain and its new value. */
  record ParamChange(
      @Required @Size(min = 1, max = 64) @JsonPropertyDescription("The module.") String subspace,
      @Required @Size(min = 1, max = 64) @JsonPropertyDescription("The parameter.") String key,
      @Required @JsonPropertyDescription("Any JSON.") JsonNode value) {}

  /** A proposal that says who may instantiate stored code. */
  record GovUpdateInstantiateConfig(
      @Required @Size(min = 1, max = 64) @JsonPropertyDescription("The chain that it is for.")
          String chainId,
      @Size(max = 64)
          @Pattern(Patterns.KEY_NAME)
          @JsonPropertyDescription("The key that signs; that of the node's keyring if unset.")
          String keyName,
      @Required @Size(min = 1, max = 256) @JsonPropertyDescription("Title of the proposal.")
          String title,
      @Required @Size(min = 1, max = 10240) @JsonPropertyDescription("Text of the proposal.")
          String description,
      @Required @Size(min = 1, max = 64) @JsonPropertyDescription("What changes.")
          List<InstantiateConfig> updates,
      @Required @Size(min = 1, max = 128) @JsonPropertyDescription("Such as 1000000usei.")
          String initialDeposit,
      @Size(max = 256) @JsonPropertyDescription("Note on the transaction.") String memo,
      @Required @Size(min = 1, max = 128) @JsonPropertyDescription("Such as 4000usei.") String fees,
      @Required @Min(1) @JsonPropertyDescription("Limit of gas.") Long gas)
      implements Transaction {}

  /** Who may instantiate a stored code. */
  record InstantiateConfig(
      @Required @Min(1) @JsonPropertyDescription("Number of the code.") Long codeId,
      @Required
          @Size(min = 1, max = 128)
          @Pattern(Patterns.PERMISSION)
          @JsonPropertyDescription("nobody, everybody or an address.")
          String permission) {}

  /** Has a jailed validator take part again. */
  record Unjail(
      @Required @Size(min = 1, max = 64) @JsonPropertyDescription("The chain that it is for.")
          String chainId,
      @Size(max = 64)
          @Pattern(Patterns.KEY_NAME)
          @JsonPropertyDescription("The key that signs; that of the node's keyring if unset.")
          String keyName,
      @Size(max = 256) @JsonPropertyDescription("Note on the transaction.") String memo,
      @Required @Size(min = 1, max = 128) @JsonPropertyDescription("Such as 4000usei.") String fees,
      @Required @Min(1) @JsonPropertyDescription("Limit of gas.") Long gas)
      implements Transaction {}

  /** A condition that is waited for. */
  @ValidationRule(
      value = "has(self.height)",
      message = "exactly one condition must be set (currently: height)")
  record AwaitCondition(
      @JsonPropertyDescription("A height of the node.") Height height,
      @JsonPropertyDescription(
              "What to do then: SIGTERM_SEID ends seid, which starts again; nothing if unset.")
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

  /** Nothing to say; without the annotation an empty record cannot be written. */
  @JsonSerialize
  record RestartSeid() implements NodeTaskPayload {}

  /** The same. */
  @JsonSerialize
  record MarkReady() implements NodeTaskPayload {}
}
