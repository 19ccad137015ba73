// Pure functions over SeiNodes and SeiNodeDeployments: what they say, without a document.

export const conditionOf = (object, type) =>
  object.status?.conditions?.find((condition) => condition.type === type) ?? { type, status: "", reason: "", message: "" };

const isTrue = (condition) => condition.status === "True";

export const isFleet = (object) => object.kind === "SeiNodeDeployment";

export const refOf = (object) => `${isFleet(object) ? "snd" : "snode"}/${object.metadata.name}`;

export const keyOf = (object) => `${object.metadata.namespace}/${refOf(object)}`;

export const specOf = (object) => (isFleet(object) ? (object.spec?.template?.spec ?? {}) : (object.spec ?? {}));

export const chainIdOf = (object) => specOf(object).chainId ?? "";

export const fleetNameOf = (node) =>
  node.metadata.ownerReferences?.find((owner) => owner.controller && owner.kind === "SeiNodeDeployment")?.name ?? "";

export const membersOf = (fleet, nodes) =>
  nodes
    .filter((node) => node.metadata.namespace === fleet.metadata.namespace && fleetNameOf(node) === fleet.metadata.name)
    .sort((a, b) => ordinalOf(a) - ordinalOf(b));

const ordinalOf = (node) => Number(node.metadata.name.slice(node.metadata.name.lastIndexOf("-") + 1));

// --- Reading ------------------------------------------------------------------------------------------------

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const objectsIn = (value) => (Array.isArray(value) ? value.filter(isObject) : []);

/**
 * An object without the fields that views look into and that have another type: one that was stored before its CRD had
 * types must not keep the others from being shown.
 */
export function readable(object) {
  const { plan, rollout, ...status } = isObject(object.status) ? object.status : {};
  return {
    ...object,
    spec: isObject(object.spec) ? object.spec : {},
    status: {
      ...status,
      conditions: objectsIn(status.conditions).map((condition) => ({
        ...condition,
        status: String(condition.status ?? ""),
        reason: String(condition.reason ?? ""),
        message: String(condition.message ?? ""),
      })),
      upgrades: objectsIn(status.upgrades),
      planHistory: Array.isArray(status.planHistory) ? status.planHistory : [],
      plan: isObject(plan) ? { ...plan, tasks: objectsIn(plan.tasks) } : undefined,
      rollout: isObject(rollout) ? { ...rollout, nodes: objectsIn(rollout.nodes) } : undefined,
    },
  };
}

const isReconciled = (object) => object.metadata.generation === object.status?.observedGeneration;

// --- Problems -----------------------------------------------------------------------------------------------

// What a problem puts at risk, the worst first: the order of `kubectl sei why`, src/kubectl-sei/why.go.
const Rank = {
  DATA_OR_KEY_AT_RISK: 1,
  STALLED: 2,
  NOT_READY: 3,
  SPEC_REFUSED: 4,
  SIDECAR_AWAY: 5,
  UPGRADE_NOT_PREPARED: 6,
  PEERS_LOST: 7,
  OPERATION_FAILED: 8,
};

/** Problems of some objects, the worst first; objects with the same problem share one. */
export function problemsOf(objects, runbookPages) {
  const found = objects.flatMap((object) => problemsOfObject(object, runbookPages).map((problem) => ({ ...problem, object })));
  const groups = new Map();
  for (const problem of found) {
    const key = JSON.stringify([problem.rank, problem.reason, problem.message]);
    const group = groups.get(key) ?? { ...problem, key, objects: [] };
    group.objects.push(problem.object);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => a.rank - b.rank || compare(a.reason, b.reason) || compare(a.message, b.message));
}

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

function problemsOfObject(object, runbookPages) {
  const ready = conditionOf(object, "Ready");
  const stalled = conditionOf(object, "Stalled");
  const found = (object.status?.conditions ?? [])
    .map((condition) => problemOf(object, condition))
    .filter((problem) => problem !== undefined);
  if (!isFleet(object) && !isTrue(stalled)) {
    if (ready.status !== "" && !isTrue(ready) && runbookPages.has(ready.reason)) {
      found.push(problem(Rank.NOT_READY, ready));
    }
    if (object.status?.phase === "Failed") {
      found.push({ rank: Rank.STALLED, reason: "Failed", message: "its plan failed", page: "SeiNodeFailed" });
    }
  }
  const isHalted = found.some((one) => one.reason === "HaltedAtUpgrade");
  return found.filter((one) => !(isHalted && one.rank === Rank.UPGRADE_NOT_PREPARED));
}

const problem = (rank, condition, page = condition.reason) => ({ rank, reason: condition.reason, message: condition.message, page });

function problemOf(object, condition) {
  if (isTrue(condition)) {
    return problemOfTrue(object, condition);
  }
  if (condition.status === "False") {
    const found = problemOfFalse(condition);
    if (found !== undefined) {
      return found;
    }
  }
  const { type, reason } = condition;
  const stalled = conditionOf(object, "Stalled");
  const refused = ["InvalidSpec", "ServiceConflict", "RolledBack", "ImageBehindUpgrade"];
  if (type === "UpToDate" && refused.includes(reason) && !(isTrue(stalled) && stalled.reason === reason)) {
    return problem(Rank.SPEC_REFUSED, condition);
  }
  if (type === "Ready" && isFleet(object) && ["ChildConflict", "TakeoverNotEnabled"].includes(reason)) {
    return problem(Rank.SPEC_REFUSED, condition);
  }
  if (type === "SidecarReady" && ["Unreachable", "Forbidden"].includes(reason)) {
    return problem(Rank.SIDECAR_AWAY, condition);
  }
  return undefined;
}

function problemOfTrue(object, condition) {
  if (condition.type === "DataVolumeAtRisk") {
    return problem(Rank.DATA_OR_KEY_AT_RISK, condition, "SeiDataVolumeAtRisk");
  }
  // A fleet repeats the message of its node.
  if (condition.type !== "Stalled" || (isFleet(object) && condition.message.startsWith(`${object.metadata.name}-`))) {
    return undefined;
  }
  const isListedImage = condition.reason === "ImagePull" && conditionOf(object, "UpgradesReady").reason === "ImagePull";
  return problem(Rank.STALLED, condition, isListedImage ? "SeiUpgradeImagePull" : condition.reason);
}

function problemOfFalse(condition) {
  const { type, reason } = condition;
  if (reason === "SigningKeyShared" || reason === "SignerHasAnotherKey") {
    return problem(Rank.DATA_OR_KEY_AT_RISK, condition, `Sei${reason}`);
  }
  if (type === "UpgradesReady" && reason !== "UpgradesPaused") {
    const page = { ImagePull: "SeiUpgradeImagePull", NotListed: "SeiUpgradeNotListed" }[reason] ?? reason;
    return problem(Rank.UPGRADE_NOT_PREPARED, condition, page);
  }
  if (type === "CaughtUp" && reason === "NoPeers") {
    return problem(Rank.PEERS_LOST, condition, "SeiPeersLost");
  }
  const operations = ["DataVolumeResized", "DataVolumeRestored", "SnapshotsHealthy", "UpdatesInPlace"];
  return reason !== "Recreate" && operations.includes(type) ? problem(Rank.OPERATION_FAILED, condition) : undefined;
}

// --- Health -------------------------------------------------------------------------------------------------

/** The state of a node in one word, for a colour, a sign and a count. */
export function stateOf(node) {
  const ready = conditionOf(node, "Ready");
  if (node.metadata.deletionTimestamp) {
    return "deleting";
  }
  if (isTrue(conditionOf(node, "Paused")) || isTrue(conditionOf(node, "Held"))) {
    return "paused";
  }
  if (isTrue(conditionOf(node, "Stalled")) || node.status?.phase === "Failed") {
    return "stalled";
  }
  if (!isReconciled(node)) {
    return "changing";
  }
  if (!isTrue(ready)) {
    return isTrue(conditionOf(node, "Reconciling")) || node.status?.phase === "Initializing" ? "changing" : "down";
  }
  return isTrue(conditionOf(node, "UpToDate")) ? "ready" : "changing";
}

/** Counts nodes: all, those that are Ready, and those that are down and were not paused. */
export function totalsOf(nodes) {
  const ready = nodes.filter((node) => isTrue(conditionOf(node, "Ready"))).length;
  const down = nodes.filter((node) => ["stalled", "down"].includes(stateOf(node))).length;
  return { nodes: nodes.length, ready, down };
}

/** The task that a node's plan waits for, or undefined. */
export const waitingTask = (object) =>
  object.status?.plan?.phase === "Active" ? object.status.plan.tasks.find((task) => task.status === "Pending") : undefined;

// --- Chains -------------------------------------------------------------------------------------------------

/**
 * The chains that the fleets report, by name. A chain of spec.genesis is its namespace's own; the others are one
 * chain wherever their nodes are. The newest report counts.
 */
export function chainsOf(fleets, nodes) {
  const chains = new Map();
  const keyOfChain = (object) => {
    const isOwn = isFleet(object) ? object.spec?.genesis !== undefined : specOf(object).genesis !== undefined;
    return isOwn ? `${chainIdOf(object)} in ${object.metadata.namespace}` : chainIdOf(object);
  };
  const chainNamed = (name) => {
    if (!chains.has(name)) {
      chains.set(name, { name, nodes: [], report: undefined });
    }
    return chains.get(name);
  };
  nodes.forEach((node) => chainNamed(keyOfChain(node)).nodes.push(node));
  for (const fleet of fleets) {
    const chain = chainNamed(keyOfChain(fleet));
    const report = fleet.status?.chain;
    if (report && (chain.report === undefined || report.at > chain.report.at)) {
      chain.report = report;
    }
  }
  return [...chains.values()].sort((a, b) => compare(a.name, b.name));
}

/** How far a chain is: the height by now, the blocks and seconds that are left until its next upgrade. */
export function progressOf(report, nowMillis) {
  const rate = Number(report.blocksPerSecond ?? 0);
  const age = Math.max(0, (nowMillis - Date.parse(report.at)) / 1000);
  const height = Math.floor(report.height + rate * age);
  const next = report.nextUpgrade;
  if (!next) {
    return { height, rate, age };
  }
  const blocks = next.height - height;
  return { height, rate, age, next, blocks, seconds: rate > 0 ? Math.max(0, blocks / rate) : undefined };
}

/** How many of some nodes have the image of an upgrade, run it already, or failed to get it. */
export function readinessFor(upgrade, nodes) {
  const counts = { listed: 0, prepared: 0, failed: 0, nodes: nodes.length };
  for (const node of nodes) {
    const entry = node.status?.upgrades?.find((one) => one.name === upgrade.name);
    if (entry === undefined) {
      continue;
    }
    counts.listed += 1;
    if (entry.pulledAt || entry.state === "Applied") {
      counts.prepared += 1;
    } else if (entry.pullError) {
      counts.failed += 1;
    }
  }
  return counts;
}

// --- Text ---------------------------------------------------------------------------------------------------

const LONGEST_TEXT = 2_000;

/** Text without the characters that change how other text is shown, on one line and of bounded length. */
export function printable(text) {
  const plain = String(text ?? "")
    .replace(/[\r\n\t\u2028\u2029]+/gu, " ")
    .replace(/[\p{Cc}\p{Cf}]/gu, "");
  return plain.length > LONGEST_TEXT ? `${plain.slice(0, LONGEST_TEXT)} …` : plain;
}

export const numberText = (number) => Number(number).toLocaleString("en");

/** A duration with its two largest units, such as 1 d 4 h. */
export function durationText(seconds) {
  const units = [
    ["d", 86_400],
    ["h", 3_600],
    ["min", 60],
    ["s", 1],
  ];
  const first = units.findIndex(([, size]) => seconds >= size);
  if (first < 0) {
    return "0 s";
  }
  let rest = Math.floor(seconds);
  return units
    .slice(first, first + 2)
    .map(([unit, size]) => {
      const count = Math.floor(rest / size);
      rest -= count * size;
      return [count, unit];
    })
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}

/** The tag or digest of an image, which is what differs between two of a fleet. */
export function tagOf(image) {
  const text = String(image ?? "");
  const digest = text.indexOf("@");
  if (digest >= 0) {
    return text.slice(digest + 1, digest + 20);
  }
  const colon = text.lastIndexOf(":");
  return colon > text.lastIndexOf("/") ? text.slice(colon + 1) : text;
}

const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** The command that shows everything about an object, or undefined where a name is not one of Kubernetes. */
export function whyCommand(object) {
  const { namespace, name } = object.metadata;
  return NAME.test(namespace) && NAME.test(name) ? `kubectl sei why ${refOf(object)} -n ${namespace}` : undefined;
}

// The pattern of plainURL, src/kubectl-sei/operators.go.
const RUNBOOKS = /^https?:\/\/[A-Za-z0-9._~:/-]{1,1000}$/;
const PAGE = /^[A-Za-z]{1,64}$/;

/** The address of a runbook, or undefined unless it is plainly one. */
export function runbookAddress(settings, page) {
  const place = settings.runbooks;
  return RUNBOOKS.test(place) && PAGE.test(page) ? `${place.replace(/\/$/, "")}/${page}.md` : undefined;
}
