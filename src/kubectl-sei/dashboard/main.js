// The page: reads SeiNodes, fleets and the operator's Events, and shows them again after each change.

import { ObjectList } from "./api.js";
import { chainIdOf, fleetNameOf, isFleet, printable, problemsOf, totalsOf } from "./model.js";
import { showChains, showDetail, showFleets, showNodes, showProblems, showTimeline, timeOf } from "./view.js";

// Changes come in bursts; a page that is drawn more often shows nothing more.
const DRAW_MILLIS = 250;
// Countdowns and ages go on without a change.
const TICK_MILLIS = 1_000;
const TIMELINE_MILLIS = 60 * 60 * 1_000;

const byId = (id) => document.getElementById(id);
const bodyOf = (id) => byId(id).querySelector(".body");

class Dashboard {
  constructor(settings) {
    this.settings = settings;
    const scope = settings.namespace ? `/namespaces/${encodeURIComponent(settings.namespace)}` : "";
    const changed = () => this.changed();
    this.nodes = new ObjectList(`/apis/sei.io/v1alpha1${scope}/seinodes`, {}, changed);
    this.fleets = new ObjectList(`/apis/sei.io/v1alpha1${scope}/seinodedeployments`, {}, changed);
    this.events = new ObjectList(`/api/v1${scope}/events`, { fieldSelector: "source=sei-operator" }, changed, {
      hasBookmarks: false,
    });
    this.lists = [this.fleets, this.nodes, this.events];
    this.isDrawing = false;
    this.drawFailure = "";
    this.focusDetail = false;
  }

  start() {
    document.body.classList.toggle("one-namespace", Boolean(this.settings.namespace));
    this.lists.forEach((list) => list.run());
    setInterval(() => this.changed(), TICK_MILLIS);
    byId("filter").addEventListener("input", () => this.changed());
    window.addEventListener("hashchange", () => {
      this.focusDetail = true;
      this.changed();
    });
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("click", copy);
    this.changed();
  }

  changed() {
    if (!this.isDrawing) {
      this.isDrawing = true;
      setTimeout(() => {
        this.isDrawing = false;
        try {
          this.draw();
          this.drawFailure = "";
        } catch (failure) {
          // What is shown is that of before, which must not look live.
          this.drawFailure = `cannot be shown: ${failure.message}`;
          this.drawConnection();
        }
      }, DRAW_MILLIS);
    }
  }

  draw() {
    const now = Date.now();
    const nodes = [...this.nodes.objects.values()];
    const fleets = [...this.fleets.objects.values()].sort((a, b) => (fullName(a) < fullName(b) ? -1 : 1));
    const shownNodes = nodes.filter((node) => this.isWanted(node));
    const shownFleets = fleets.filter((fleet) => this.isWanted(fleet));
    this.drawHead(nodes);
    this.drawDetail(fleets, nodes);
    showChains(bodyOf("chains"), shownFleets, shownNodes, now);
    showProblems(bodyOf("problems"), problemsOf([...shownFleets, ...shownNodes], this.settings.pages), this.settings);
    showFleets(bodyOf("fleets"), shownFleets, nodes, now);
    showNodes(bodyOf("nodes"), shownNodes);
    showTimeline(bodyOf("timeline"), this.timeline(now), now);
  }

  drawHead(nodes) {
    const { nodes: count, ready, down } = totalsOf(nodes);
    const text = `${count} nodes · ${ready} Ready · ${down} down`;
    // A live region is read out whenever it changes.
    if (byId("totals").textContent !== text) {
      byId("totals").textContent = text;
      document.title = down > 0 ? `(${down} down) Sei nodes` : "Sei nodes";
    }
    this.drawConnection();
  }

  drawConnection() {
    const failed = this.lists.filter((list) => list.error !== "").map((list) => `${list.path}: ${list.error}`);
    if (this.drawFailure !== "") {
      failed.push(this.drawFailure);
    }
    const isListed = this.nodes.isListed && this.fleets.isListed;
    const connection = failed.length > 0 ? `out of date: ${failed.join("; ")}` : isListed ? "live" : "loading";
    byId("connection").textContent = printable(connection).slice(0, 500);
    byId("connection").dataset.state = failed.length > 0 ? "failed" : isListed ? "live" : "loading";
  }

  drawDetail(fleets, nodes) {
    const section = byId("detail");
    const selected = selectedObject(fleets, nodes);
    section.hidden = selected === undefined;
    if (selected !== undefined) {
      showDetail(section, selected, nodes);
      if (this.focusDetail) {
        byId("detail-title").focus();
        section.scrollIntoView();
      }
    }
    this.focusDetail = false;
  }

  /** Events of the selected object and its nodes, or all that the filter lets through. */
  timeline(now) {
    const selected = selection();
    return [...this.events.objects.values()].filter((event) => {
      const about = event.involvedObject;
      if (now - Date.parse(timeOf(event)) > TIMELINE_MILLIS) {
        return false;
      }
      if (selected === undefined) {
        return this.matches([about.namespace, about.name, event.reason, event.message]);
      }
      const isMember = selected.isFleet && String(about.name).startsWith(`${selected.name}-`);
      return about.namespace === selected.namespace && (about.name === selected.name || isMember);
    });
  }

  isWanted(object) {
    const { name, namespace } = object.metadata;
    return this.matches([namespace, name, isFleet(object) ? "" : fleetNameOf(object), chainIdOf(object), object.status?.reason]);
  }

  matches(texts) {
    const words = byId("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const text = texts.filter(Boolean).join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  }

  key(event) {
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.key === "Escape") {
      byId("filter").blur();
      window.location.hash = "#/";
    } else if (isTyping || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    } else if (event.key === "/") {
      event.preventDefault();
      byId("filter").focus();
    } else if (event.key === "j" || event.key === "k") {
      moveFocus(event.key === "j" ? 1 : -1);
    }
  }
}

const fullName = (object) => `${object.metadata.namespace}/${object.metadata.name}`;

/** What the address selects, such as #/fleet/default/atlantic; undefined if nothing. */
function selection() {
  const [, kind, namespace, name] = window.location.hash.split("/");
  if (!["fleet", "node"].includes(kind) || !namespace || !name) {
    return undefined;
  }
  try {
    return { isFleet: kind === "fleet", namespace: decodeURIComponent(namespace), name: decodeURIComponent(name) };
  } catch {
    return undefined;
  }
}

function selectedObject(fleets, nodes) {
  const selected = selection();
  return (selected?.isFleet ? fleets : nodes).find(
    ({ metadata }) => selected !== undefined && metadata.namespace === selected.namespace && metadata.name === selected.name,
  );
}

/** Moves the focus to the first link of the next or previous row. */
function moveFocus(step) {
  const rows = [...document.querySelectorAll("main section:not([hidden]) .row")];
  const now = rows.findIndex((row) => row.contains(document.activeElement));
  const next = now < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, now + step));
  rows[next]?.querySelector("a[href], button")?.focus();
}

async function copy(event) {
  const button = event.target.closest?.("button[data-copy]");
  if (!button) {
    return;
  }
  const hint = button.querySelector(".hint");
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    hint.textContent = "copied";
  } catch {
    hint.textContent = "select it and copy";
  }
}

const settings = await (await fetch("settings.json")).json();
new Dashboard({ ...settings, pages: new Set(settings.pages) }).start();
