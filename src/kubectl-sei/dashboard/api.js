// Lists and watches objects of the Kubernetes API, through kubectl proxy.

import { readable } from "./model.js";

const PAGE_SIZE = 500;
const LIST_MILLIS = 60_000;
const WATCH_SECONDS = 290;
// The API server sends a bookmark about once a minute. A watch that is silent for longer is renewed.
const SILENCE_MILLIS = 150_000;
// Events are not in the API server's watch cache, and get no bookmarks. Their watch may be silent until its end.
const SILENCE_WITHOUT_BOOKMARKS_MILLIS = (WATCH_SECONDS + 30) * 1_000;
const FIRST_PAUSE_MILLIS = 1_000;
const LONGEST_PAUSE_MILLIS = 15_000;

/** An answer of the API server that is no list and no watch. */
class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

async function request(path, parameters, signal) {
  const response = await fetch(`${path}?${new URLSearchParams(parameters)}`, { signal, redirect: "error", credentials: "omit" });
  if (response.ok) {
    return response;
  }
  const text = await response.text();
  let message = text;
  try {
    message = JSON.parse(text).message ?? text;
  } catch {
    // The proxy itself answers in plain text.
  }
  throw new Refusal(response.status, message);
}

/** Calls visit with each line of a response. */
async function eachLine(response, visit) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return;
    }
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    lines.filter((line) => line !== "").forEach(visit);
  }
}

const pause = (millis) => new Promise((resume) => setTimeout(resume, millis));

/**
 * A list of the API that is kept up to date. `objects` maps uid to object; `error` says why it may be out of date, and
 * is empty while the watch is alive. `onChange` is called after every change of either.
 */
export class ObjectList {
  constructor(path, parameters, onChange, { hasBookmarks = true } = {}) {
    this.path = path;
    this.parameters = parameters;
    this.onChange = onChange;
    this.silenceMillis = hasBookmarks ? SILENCE_MILLIS : SILENCE_WITHOUT_BOOKMARKS_MILLIS;
    this.objects = new Map();
    this.isListed = false;
    this.error = "";
  }

  /** Lists and watches for as long as the page is open. */
  async run() {
    let wait = FIRST_PAUSE_MILLIS;
    // Every end is followed by a pause, also one that is no failure: an API server that ends or refuses each watch at
    // once must not be asked for a whole list again and again.
    const pauseAfter = async (began) => {
      wait = Date.now() - began > LONGEST_PAUSE_MILLIS ? FIRST_PAUSE_MILLIS : wait;
      await pause(wait);
      wait = Math.min(2 * wait, LONGEST_PAUSE_MILLIS);
    };
    for (;;) {
      let began = Infinity;
      try {
        let version = await this.#list();
        for (;;) {
          began = Date.now();
          version = await this.#watch(version);
          await pauseAfter(began);
        }
      } catch (failure) {
        // 410: the version is older than what the API server remembers, as that of a quiet list becomes.
        if (!(failure instanceof Refusal && failure.code === 410)) {
          this.error = String(failure.message || failure);
          this.onChange();
        }
        await pauseAfter(began);
      }
    }
  }

  async #list() {
    const found = new Map();
    let next = "";
    let version;
    do {
      const page = { limit: PAGE_SIZE, ...this.parameters, ...(next && { continue: next }) };
      const list = await (await request(this.path, page, AbortSignal.timeout(LIST_MILLIS))).json();
      list.items.forEach((object) => found.set(object.metadata.uid, shortened(object)));
      next = list.metadata.continue ?? "";
      version = list.metadata.resourceVersion;
    } while (next !== "");
    this.objects = found;
    this.isListed = true;
    this.error = "";
    this.onChange();
    return version;
  }

  /** Watches until the API server ends the watch, and returns the last version that it sent. */
  async #watch(version) {
    const abort = new AbortController();
    let timer;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(new Error("the watch is silent")), this.silenceMillis);
    };
    heard();
    try {
      const parameters = {
        ...this.parameters,
        watch: "true",
        allowWatchBookmarks: "true",
        resourceVersion: version,
        timeoutSeconds: WATCH_SECONDS,
      };
      await eachLine(await request(this.path, parameters, abort.signal), (line) => {
        heard();
        version = this.#change(JSON.parse(line)) ?? version;
      });
      return version;
    } finally {
      clearTimeout(timer);
      // A browser has six connections to a host.
      abort.abort();
    }
  }

  #change({ type, object }) {
    if (type === "ERROR") {
      throw new Refusal(object.code, object.message);
    }
    if (type === "DELETED") {
      this.objects.delete(object.metadata.uid);
    } else if (type !== "BOOKMARK") {
      this.objects.set(object.metadata.uid, shortened(object));
    }
    this.error = "";
    this.onChange();
    return object.metadata.resourceVersion;
  }
}

/** Leaves out what no view shows and what can be large. */
function shortened(object) {
  const { managedFields, annotations, ...metadata } = object.metadata;
  return readable({ ...object, metadata });
}
