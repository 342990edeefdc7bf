/** The playground: an editor, what Python makes of its text, and what the devices of the browser do with it. */
import { pageOf, save } from "./download.js";
import type { Editor } from "./editor.js";
import { makeCodeView, makeEditor } from "./editor.js";
import type { Compiled, Device, Kind, Looked, Problem, Report } from "./protocol.js";
import { reportOf } from "./report.js";
import { packed, unpacked } from "./share.js";
import { makeTabs } from "./tabs.js";
import type { Told } from "./workers.js";
import { Python, Run } from "./workers.js";
import { bytes, element, milliseconds, told } from "./words.js";

interface Example {
  name: string;
  title: string;
  summary: string;
  group: string;
  text: string;
}

const PAUSE = 250; // milliseconds without a key, after which a program is compiled
const DEVICES: Record<string, Device[]> = { both: ["wasm", "webgpu"], wasm: ["wasm"], webgpu: ["webgpu"] };

const $ = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T;
const [chosen, units, devices] = [$<HTMLSelectElement>("example"), $<HTMLSelectElement>("unit"), $<HTMLSelectElement>("devices")];
const [runButton, stopButton] = [$<HTMLButtonElement>("run"), $<HTMLButtonElement>("stop")];

let examples: Example[] = [];
/** What Python made of which text. */
let last: { text: string; compiled: Compiled } | null = null;
let waiting: ReturnType<typeof setTimeout> | undefined;
let run: Run | null = null;
let pythonThere = false;
let quietly = false; // a text that was opened is no change of the reader's

const showCode = makeCodeView($("code"));
const tabs = makeTabs($("tabs"), (name) => {
  const code = isKind(name);
  $("panel-code").hidden = !code;
  for (const other of ["results", "printed"]) $(`panel-${other}`).hidden = other !== name;
  if (code) void ask(null);
});
const isKind = (name: string): name is Kind => name === "isa" || name === "wgsl" || name === "wat";

const python = new Python((there) => {
  pythonThere = there;
  tellState();
});

const editor: Editor = makeEditor($("editor"), {
  change: () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => void ask(editor.text), PAUSE);
    if (!quietly && location.hash) history.replaceState(null, "", location.pathname + location.search);
    if (!quietly) chosen.value = "";
  },
  run: () => void start(),
  leave: () => runButton.focus(),
});

// Compiling

const TO_RUN = "Run the program, by the button or by Control-Enter, to see its results here.";
const PRINTED = "This text is a script: it has run, and the tab Printed shows what it printed.";

/** Whose code is looked at now. */
const looked = (): Looked | null => (isKind(tabs.chosen) ? { unit: units.value, kind: tabs.chosen } : null);

async function ask(text: string | null): Promise<void> {
  const asked = python.ask(text, looked());
  tellState();
  const told = await asked;
  if (told) take(told);
  if (!told?.answer.broken) tellState();
}

function take({ text, answer: { compiled, look, code, broken } }: Told): void {
  if (broken) {
    last = { text: text ?? editor.text, compiled: { printed: "", units: [], problem: { message: broken }, milliseconds: 0 } };
    return say(`Python could not be loaded: ${broken}`, "bad");
  }
  if (compiled && text !== null) {
    last = { text, compiled };
    const { problem, printed, file } = compiled;
    const hint = document.getElementById("hint"); // until something has run
    if (hint) hint.textContent = file || problem ? TO_RUN : PRINTED;
    showProblem(problem);
    $("text").textContent = printed || "The program printed nothing.";
    tabs.note("printed", printed ? "•" : "");
    const before = units.value;
    units.replaceChildren(...compiled.units.map((name) => element("option", { value: name }, name === "program" ? "the whole program" : name)));
    if (compiled.units.includes(before)) units.value = before;
  }
  if (look) units.value = look.unit;
  $("empty").hidden = units.options.length > 0;
  if (look && look.kind === tabs.chosen) showCode(code, look.kind);
}

function showProblem(problem: Problem | undefined): void {
  editor.mark(problem ? [problem] : []);
  const where = $<HTMLButtonElement>("problem");
  where.hidden = !problem;
  if (!problem) return;
  const { message, place } = problem;
  const at = place ? `Line ${place.line}${place.column === undefined ? "" : `, column ${place.column}`}: ` : "";
  where.replaceChildren(element("strong", {}, at), message);
  where.onclick = () => place && editor.go(place);
}

function tellState(): void {
  stopButton.disabled = !run && !(pythonThere && python.busy);
  if (run) return;
  if (!pythonThere) return say("Python is starting; the editor works already.");
  if (python.busy) return say("Compiling …");
  if (!last) return;
  const { problem, file, milliseconds: taken } = last.compiled;
  if (problem) say("There is an error in the program.", "bad");
  else say(`${file ? "Compiled" : "Done"} in ${milliseconds(taken)}${file ? `: ${bytes(file.length)}` : ""}.`);
  for (const id of ["save-holo", "save-page"]) $<HTMLButtonElement>(id).disabled = !file;
}

function say(text: string, kind = ""): void {
  $("state").textContent = text;
  $("state").className = kind;
}

// Running

/** The newest text, compiled; undefined where that is not to be had. */
async function compiled(): Promise<Compiled | undefined> {
  clearTimeout(waiting);
  while (last?.text !== editor.text) await ask(editor.text);
  return last.compiled;
}

async function start(): Promise<void> {
  stopRun();
  const made = await compiled();
  if (!made || made.problem) return;
  if (!made.file) {
    tabs.choose("printed");
    return say("There is no program to run on the devices: what the text printed is shown. Give it a name: program = hg.compile(...)");
  }
  tabs.choose("results");
  const mine = (run = new Run({ file: made.file, inputs: made.inputs ?? [], devices: DEVICES[devices.value]! }, say));
  runButton.disabled = true;
  tellState();
  try {
    const reports = await mine.reports;
    if (run === mine && reports) showReports(reports);
  } catch (error) {
    say(told(error), "bad");
  }
  if (run === mine) run = null;
  runButton.disabled = false;
  tellState();
}

function showReports(reports: readonly Report[]): void {
  $("report").replaceChildren(...reportOf(reports));
  $("report").dataset["runs"] = String(Number($("report").dataset["runs"] ?? 0) + 1);
  const failed = reports.find(({ failure, line }) => failure !== undefined && line !== undefined);
  if (failed) showProblem({ message: failed.failure!, place: { line: failed.line! } });
}

function stopRun(): void {
  run?.stop();
  run = null;
}

stopButton.onclick = () => {
  stopRun();
  python.stop("it was stopped");
  runButton.disabled = false;
  runButton.focus();
  tellState();
};
runButton.onclick = () => void start();
units.onchange = () => void ask(null);

// Texts, from examples and addresses

function open(text: string): void {
  quietly = true;
  editor.set(text);
  quietly = false;
  clearTimeout(waiting);
  $("report").replaceChildren(element("p", { id: "hint", class: "soft" }, TO_RUN));
  void ask(text);
}

function openExample(name: string): boolean {
  const found = examples.find((example) => example.name === name);
  if (!found) return false;
  chosen.value = name;
  $("summary").textContent = found.summary;
  open(found.text);
  return true;
}

async function openAddress(): Promise<void> {
  let held: Awaited<ReturnType<typeof unpacked>> = null;
  try {
    held = await unpacked(location.hash);
  } catch {
    say("The program in this address is damaged: was all of it copied?", "bad");
  }
  if (held && "text" in held) {
    chosen.value = "";
    $("summary").textContent = "A program from an address.";
    return open(held.text);
  }
  if (held && !openExample(held.example)) say(`There is no example ${held.example}.`, "bad");
  else if (!held) openExample(examples[0]!.name);
}

async function readExamples(): Promise<void> {
  const response = await fetch("examples.json");
  if (!response.ok) throw new Error(`examples.json: status ${response.status}`);
  examples = (await response.json()) as Example[];
  for (const group of new Set(examples.map((example) => example.group))) {
    const members = examples.filter((example) => example.group === group);
    const options = members.map(({ name, title }) => element("option", { value: name }, title));
    chosen.append(element("optgroup", { label: group }, ...options));
  }
}

chosen.onchange = () => {
  history.replaceState(null, "", `#gallery=${chosen.value}`);
  openExample(chosen.value);
};
globalThis.addEventListener("hashchange", () => void openAddress());

// Sharing and files

$("share").onclick = async () => {
  history.replaceState(null, "", await packed(editor.text));
  try {
    await navigator.clipboard.writeText(location.href);
    say("The address with this program is in the clipboard.");
  } catch {
    say("The address of this page has the program now: copy it.");
  }
};

/** The name of the program, for files. */
const nameOf = (): string => examples.find(({ name }) => name === chosen.value)?.name ?? "program";

$("save-holo").onclick = async () => {
  const file = (await compiled())?.file;
  if (file) save(`${nameOf()}.holo`, new Blob([file], { type: "application/octet-stream" }));
};
$("save-page").onclick = async () => {
  const made = await compiled();
  if (!made?.file) return;
  const title = examples.find(({ name }) => name === chosen.value)?.title ?? "A program";
  const script = await (await fetch("alone.js")).text();
  const style = await (await fetch("style.css")).text();
  save(`${nameOf()}.html`, new Blob([pageOf({ title, text: editor.text, file: made.file, inputs: made.inputs ?? [] }, script, style)], { type: "text/html" }));
};

// Looks

const themes = { auto: "light dark", light: "light", dark: "dark" };
const theme = $<HTMLSelectElement>("theme");
theme.onchange = () => {
  localStorage.setItem("playground.theme", theme.value);
  showTheme();
};
function showTheme(): void {
  document.documentElement.style.colorScheme = themes[theme.value as keyof typeof themes];
}

// Offline

async function keepOffline(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.register("service.js");
  await navigator.serviceWorker.ready;
  $("offline").textContent = "Works offline.";
  const offer = (): void => void ($("newer").hidden = !registration.waiting);
  offer();
  registration.addEventListener("updatefound", () => registration.installing?.addEventListener("statechange", offer));
  $("newer").onclick = () => {
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload());
    registration.waiting?.postMessage("now");
  };
}

theme.value = localStorage.getItem("playground.theme") ?? "auto";
showTheme();
$("first").hidden = true;
try {
  await readExamples();
  await openAddress();
} catch (error) {
  say(told(error), "bad");
}
keepOffline().catch((error: unknown) => void ($("offline").textContent = `Not kept for offline use: ${told(error)}`));
