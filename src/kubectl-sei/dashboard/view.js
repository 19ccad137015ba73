// Builds elements. Text of the cluster becomes text nodes and attributes of fixed names, and nothing else.

import {
  chainIdOf,
  chainsOf,
  conditionOf,
  durationText,
  fleetNameOf,
  isFleet,
  keyOf,
  membersOf,
  numberText,
  printable,
  progressOf,
  readinessFor,
  refOf,
  runbookAddress,
  specOf,
  stateOf,
  tagOf,
  waitingTask,
  whyCommand,
} from "./model.js";

/** Makes an element with a class and children; text becomes a text node. */
export function el(name, className, ...children) {
  const element = document.createElement(name);
  if (className) {
    element.className = className;
  }
  element.append(...children.map((child) => (child instanceof Node ? child : printable(child))));
  return element;
}

/** Replaces children, but keeps those that look as before, so that focus, selection and scrolling stay. */
export function show(parent, elements) {
  const before = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  const focused = parent.contains(document.activeElement) ? focusedKey(parent) : undefined;
  const after = elements.map((element) => {
    const old = before.get(element.dataset.key);
    return old !== undefined && old.isEqualNode(element) ? old : element;
  });
  if (after.length !== parent.children.length || after.some((element, index) => element !== parent.children[index])) {
    parent.replaceChildren(...after);
    focused?.(parent);
  }
}

/** Remembers what has the focus: which child, and which of the things in it that can have it. */
function focusedKey(parent) {
  const child = [...parent.children].find((one) => one.contains(document.activeElement));
  const index = [child, ...child.querySelectorAll(FOCUSABLE)].indexOf(document.activeElement);
  const key = child.dataset.key;
  return () => {
    const now = [...parent.children].find((one) => one.dataset.key === key);
    if (now) {
      [now, ...now.querySelectorAll(FOCUSABLE)][index]?.focus({ preventScroll: true });
    }
  };
}

const FOCUSABLE = "a[href], button, [tabindex]";

const keyed = (key, element) => {
  element.dataset.key = key;
  return element;
};

const SIGNS = { ready: "✔", changing: "↻", paused: "‖", deleting: "⌫", down: "!", stalled: "✖" };

const badge = (state, text = state) => el("span", `badge ${state}`, `${SIGNS[state]} ${text}`);

export const addressOf = (object) =>
  `#/${isFleet(object) ? "fleet" : "node"}/${encodeURIComponent(object.metadata.namespace)}/${encodeURIComponent(object.metadata.name)}`;

function objectLink(object, text = object.metadata.name) {
  const link = el("a", "object", text);
  link.href = addressOf(object);
  return link;
}

const placed = (object) => {
  const cell = el("span", "placed", objectLink(object));
  cell.append(" ", el("small", "", object.metadata.namespace));
  return cell;
};

function copyButton(command) {
  const button = el("button", "copy", el("code", "", command), el("span", "hint", "copy"));
  button.type = "button";
  button.dataset.copy = command;
  button.title = "Copy this command";
  return button;
}

function table(headings, rows, caption) {
  const head = el("tr", "", ...headings.map((heading) => el("th", "", heading)));
  head.querySelectorAll("th").forEach((cell) => cell.setAttribute("scope", "col"));
  const body = el("tbody", "");
  const whole = el("table", "", el("caption", "hidden", caption), el("thead", "", head), body);
  body.append(...rows);
  return keyed("table", whole);
}

function row(key, headings, ...cells) {
  const made = keyed(
    key,
    el(
      "tr",
      "row",
      ...cells.map((cell, index) => {
        const made = el("td", "", cell);
        // Narrow screens show a row as a list, each cell with its heading.
        made.dataset.heading = headings[index];
        return made;
      }),
    ),
  );
  return made;
}

const nothing = (text) => keyed("nothing", el("p", "nothing", text));

/** Shows a table, whose rows are kept where they look as before. */
function showTable(parent, headings, rows, caption) {
  const old = parent.querySelector(":scope > table");
  if (rows.length === 0 || old === null) {
    parent.replaceChildren(rows.length === 0 ? nothing("none") : table(headings, rows, caption));
    return;
  }
  show(old.tBodies[0], rows);
}

// --- Sections -----------------------------------------------------------------------------------------------

export function showChains(parent, fleets, nodes, now) {
  const cards = chainsOf(fleets, nodes).map((chain) => chainCard(chain, now));
  show(parent, cards.length > 0 ? cards : [nothing("no chain yet")]);
}

function chainCard(chain, now) {
  const card = keyed(chain.name, el("article", "chain", el("h3", "", chain.name)));
  if (!chain.report) {
    card.append(el("p", "", `${chain.nodes.length} nodes; no height is known`));
    return card;
  }
  const progress = progressOf(chain.report, now);
  card.append(
    el("p", "height", el("strong", "", numberText(progress.height)), ` ${progress.rate || "?"} blocks/s`),
    el("p", "age", `last block reported ${durationText(progress.age)} ago; ${chain.nodes.length} nodes`),
  );
  card.append(progress.next ? nextUpgrade(progress, chain.nodes) : el("p", "upgrade", "no upgrade is planned"));
  return card;
}

function nextUpgrade(progress, nodes) {
  const { next, blocks, seconds } = progress;
  const counts = readinessFor(next, nodes);
  const left =
    blocks <= 0 ? "its height is reached" : seconds === undefined ? `in ${numberText(blocks)} blocks` : `in ${durationText(seconds)}`;
  const isPrepared = counts.prepared === counts.nodes;
  return el(
    "div",
    "upgrade",
    el("p", "", el("strong", "", `upgrade ${printable(next.name)}`), ` at ${numberText(next.height)}`),
    el("p", "countdown", left),
    el(
      "p",
      "",
      badge(isPrepared ? "ready" : counts.failed > 0 ? "stalled" : "down", `${counts.prepared}/${counts.nodes} prepared`),
      counts.listed < counts.nodes ? ` ${counts.nodes - counts.listed} without an entry` : "",
      counts.failed > 0 ? ` ${counts.failed} could not pull its image` : "",
    ),
  );
}

export function showProblems(parent, problems, settings) {
  show(
    parent,
    problems.length > 0
      ? problems.map((problem) => problemCard(problem, settings))
      : [nothing("Nothing is wrong.")],
  );
}

const MOST_NAMES = 12;

function problemCard(problem, settings) {
  const names = el("p", "names");
  problem.objects.slice(0, MOST_NAMES).forEach((object) => names.append(placed(object), " "));
  if (problem.objects.length > MOST_NAMES) {
    names.append(`and ${problem.objects.length - MOST_NAMES} more`);
  }
  const severity = problem.rank <= 2 ? "stalled" : "down";
  const card = keyed(
    problem.key,
    el("article", `problem row ${severity}`, el("h3", "", badge(severity, problem.reason)), names, el("p", "evidence", problem.message)),
  );
  const next = el("p", "next");
  const command = whyCommand(problem.objects[0]);
  if (command) {
    next.append(copyButton(command), " ");
  }
  const address = runbookAddress(settings, problem.page);
  if (address && settings.pages.has(problem.page)) {
    const link = el("a", "", `runbook ${problem.page}`);
    link.href = address;
    link.rel = "noreferrer";
    next.append(link);
  }
  card.append(next);
  return card;
}

const FLEET_HEADINGS = ["Fleet", "Nodes", "Ready", "Updated", "Image", "State", "Next upgrade", "Last snapshot"];

export function showFleets(parent, fleets, nodes, now) {
  const rows = fleets.map((fleet) => fleetRow(fleet, membersOf(fleet, nodes), now));
  showTable(parent, FLEET_HEADINGS, rows, "Fleets with their rollout, upgrade and snapshots");
}

function fleetRow(fleet, members, now) {
  const status = fleet.status ?? {};
  return row(
    keyOf(fleet),
    FLEET_HEADINGS,
    placed(fleet),
    strip(members),
    status.ready ?? "",
    progressBar(status.updatedReplicas ?? 0, fleet.spec?.replicas ?? 0, "updated"),
    images(fleet, members),
    fleetState(fleet),
    upgradeOf(fleet, members),
    snapshotOf(fleet, now),
  );
}

/** A cell for each node, so that a rollout can be seen as it goes. */
function strip(members) {
  const cells = el("span", "strip");
  for (const node of members) {
    const state = stateOf(node);
    const cell = el("a", `cell ${state}`, SIGNS[state]);
    cell.href = addressOf(node);
    cell.title = printable(`${node.metadata.name}: ${state} ${node.status?.reason ?? ""}`);
    cell.setAttribute("aria-label", cell.title);
    cells.append(cell);
  }
  return cells;
}

function progressBar(value, max, label) {
  const bar = document.createElement("progress");
  // It refuses what is no number.
  bar.max = Math.max(1, Number.isFinite(max) ? max : 0);
  bar.value = Number.isFinite(value) ? value : 0;
  bar.setAttribute("aria-label", label);
  return el("span", "progress", bar, ` ${value}/${max}`);
}

function images(fleet, members) {
  const wanted = tagOf(specOf(fleet).image);
  const running = [...new Set(members.map((node) => tagOf(node.status?.currentImage)).filter((tag) => tag !== "" && tag !== wanted))];
  return running.length > 0 ? `${running.join(", ")} ▸ ${wanted}` : wanted;
}

function fleetState(fleet) {
  const { phase, reason } = fleet.status ?? {};
  const isStalled = conditionOf(fleet, "Stalled").status === "True" || phase === "Failed";
  const isReady = conditionOf(fleet, "Ready").status === "True";
  const state = { Paused: "paused", Terminating: "deleting", Upgrading: "changing", Initializing: "changing" }[phase];
  const shown = isStalled ? "stalled" : (state ?? (isReady ? "ready" : phase === "Pending" ? "changing" : "down"));
  return el("span", "", badge(shown, phase ?? "Pending"), reason ? ` ${printable(reason)}` : "");
}

function upgradeOf(fleet, members) {
  const next = fleet.status?.chain?.nextUpgrade;
  if (!next) {
    return "–";
  }
  const counts = readinessFor(next, members);
  const state = counts.failed > 0 ? "stalled" : counts.prepared === counts.nodes ? "ready" : "down";
  return el("span", "", `${printable(next.name)} `, badge(state, `${counts.prepared}/${counts.nodes} prepared`));
}

function snapshotOf(fleet, now) {
  const snapshots = fleet.status?.snapshots;
  if (!snapshots) {
    return "–";
  }
  const taken = snapshots.latest?.creationTime;
  const age = taken ? `${durationText((now - Date.parse(taken)) / 1000)} ago` : "none yet";
  if (snapshots.active) {
    return `${age}; ${snapshots.active.phase} on ${snapshots.active.node}`;
  }
  return snapshots.message ? el("span", "", badge("down", "failed"), ` ${age}`) : age;
}

const NODE_HEADINGS = ["Node", "Fleet", "Chain", "Mode", "State", "Reason", "Image", "Step"];
/** Rows beyond this make a page slow, and are found with the filter. */
const MOST_ROWS = 1_000;
const ORDER = ["stalled", "down", "changing", "paused", "deleting", "ready"];

export function showNodes(parent, nodes) {
  const sorted = nodes
    .map((node) => ({ node, state: stateOf(node) }))
    .sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || (keyOf(a.node) < keyOf(b.node) ? -1 : 1));
  const rows = sorted.slice(0, MOST_ROWS).map(({ node, state }) =>
    row(
      keyOf(node),
      NODE_HEADINGS,
      placed(node),
      fleetNameOf(node) || "–",
      chainIdOf(node),
      node.status?.mode ?? "",
      badge(state),
      node.status?.reason ?? "",
      tagOf(node.status?.currentImage ?? specOf(node).image),
      waitingTask(node)?.type ?? "",
    ),
  );
  if (sorted.length > MOST_ROWS) {
    rows.push(row("more", ["Node"], `${sorted.length - MOST_ROWS} more: use the filter`));
  }
  showTable(parent, NODE_HEADINGS, rows, "Nodes, the worst first");
}

const MOST_EVENTS = 200;

export function showTimeline(parent, events, now) {
  const sorted = events.sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1)).slice(0, MOST_EVENTS);
  const items = sorted.map((event) => {
    const about = event.involvedObject;
    const object = { kind: about.kind, metadata: { name: about.name ?? "", namespace: about.namespace ?? "" } };
    const time = el("time", "", clock(timeOf(event)));
    time.dateTime = timeOf(event);
    time.title = `${durationText((now - Date.parse(timeOf(event))) / 1000)} ago`;
    const count = event.count > 1 ? ` (${event.count} times)` : "";
    return keyed(
      event.metadata.uid,
      el(
        "li",
        event.type === "Warning" ? "warning" : "",
        time,
        " ",
        objectLink(object),
        " ",
        el("strong", "", `${event.type === "Warning" ? "! " : ""}${event.reason}`),
        ` ${printable(event.message)}${count}`,
      ),
    );
  });
  show(parent, items.length > 0 ? items : [nothing("no Event in the last hour")]);
}

export const timeOf = (event) => event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? "";

/** The time of day, with the date where that is not today's; in UTC as the cluster's. */
function clock(time) {
  const day = time.slice(0, 10);
  return `${day === new Date().toISOString().slice(0, 10) ? "" : `${day} `}${time.slice(11, 19)}`;
}

// --- One object ---------------------------------------------------------------------------------------------

/** Shows the plan, the conditions and the history of one object; for a fleet its nodes, too. */
export function showDetail(parent, object, nodes) {
  const title = el("h2", "", `${isFleet(object) ? "Fleet" : "Node"} ${object.metadata.name}`);
  title.id = "detail-title";
  title.tabIndex = -1;
  const back = el("a", "back", "× close");
  back.href = "#/";
  const head = keyed("head", el("div", "head", title, back));
  const facts = keyed("facts", el("p", "facts", factsOf(object)));
  const command = whyCommand(object);
  const parts = [head, facts];
  if (command) {
    parts.push(keyed("command", el("p", "next", copyButton(command))));
  }
  if (object.status?.plan) {
    parts.push(planOf(object.status.plan));
  }
  if (isFleet(object)) {
    parts.push(rolloutOf(object, membersOf(object, nodes)));
  }
  parts.push(conditionsOf(object));
  if (object.status?.planHistory?.length > 0) {
    const history = object.status.planHistory.toReversed().map((line) => el("li", "", line));
    parts.push(keyed("history", el("div", "", el("h3", "", "Finished plans"), el("ol", "history", ...history))));
  }
  show(parent, parts);
}

function factsOf(object) {
  const facts = [object.metadata.namespace, chainIdOf(object), object.status?.mode, object.status?.phase, tagOf(specOf(object).image)];
  return facts.filter(Boolean).map(printable).join(" · ");
}

const TASK_SIGNS = { Complete: ["ready", "✔"], Failed: ["stalled", "✖"], Pending: ["changing", "…"] };

function planOf(plan) {
  const waiting = plan.tasks.find((task) => task.status === "Pending");
  const steps = plan.tasks.map((task) => {
    const [state, sign] = TASK_SIGNS[task.status] ?? ["changing", "?"];
    const step = el("li", `step ${task === waiting ? "current" : ""} ${state}`, `${sign} ${printable(task.type)}`);
    if (task.status !== "Complete" && (task.message || task.error || task.reason)) {
      step.append(el("small", "", [task.reason, task.error ?? task.message].filter(Boolean).map(printable).join(": ")));
    }
    return step;
  });
  const title = `Plan ${printable(plan.kind ?? "")} ${printable(plan.phase)}`;
  return keyed("plan", el("div", "plan", el("h3", "", title), el("ol", "steps", ...steps)));
}

function rolloutOf(fleet, members) {
  const headings = ["Node", "State", "Reason", "Image", "Admitted"];
  const admitted = new Map((fleet.status?.rollout?.nodes ?? []).map((node) => [node.name, node.admittedAt]));
  const rows = members.map((node) =>
    row(
      keyOf(node),
      headings,
      objectLink(node),
      badge(stateOf(node)),
      node.status?.reason ?? "",
      tagOf(node.status?.currentImage),
      admitted.get(node.metadata.name) ?? "",
    ),
  );
  return keyed("rollout", el("div", "", el("h3", "", fleet.status?.rollout ? "Rollout" : "Nodes"), table(headings, rows, "Nodes of the fleet")));
}

// True is bad for these, and good for the others.
const BAD_IF_TRUE = ["Stalled", "DataVolumeAtRisk"];
const NEUTRAL = ["Reconciling", "PlanInProgress", "NodeUpdateInProgress", "RolloutInProgress", "RestartPending", "Paused", "Held", "DataVolumePinned"];

function conditionsOf(object) {
  const headings = ["Condition", "Status", "Reason", "Since", "Message"];
  const rows = (object.status?.conditions ?? []).map((condition) => {
    const isGood = (condition.status === "True") !== BAD_IF_TRUE.includes(condition.type);
    const state = NEUTRAL.includes(condition.type) ? "paused" : isGood ? "ready" : "down";
    const status = el("span", `status ${state}`, condition.status);
    return row(condition.type, headings, condition.type, status, condition.reason, condition.lastTransitionTime ?? "", condition.message ?? "");
  });
  return keyed("conditions", el("div", "", el("h3", "", "Conditions"), table(headings, rows, `Conditions of ${refOf(object)}`)));
}
