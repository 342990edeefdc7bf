/** The editor of a program, and what code is looked at in: CodeMirror 6. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState } from "@codemirror/state";
import type { Extension, Text } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { colours, language } from "./languages.js";
import type { Kind, Place, Problem } from "./protocol.js";

export interface Editor {
  readonly text: string;
  /** Another text, as if somebody had typed it. */
  set(text: string): void;
  /** Underlines what is wrong, or nothing. */
  mark(problems: readonly Problem[]): void;
  go(place: Place): void;
  focus(): void;
}

interface Keys {
  change(): void;
  run(): void;
  leave(): void;
}

export function makeEditor(parent: HTMLElement, { change, run, leave }: Keys): Editor {
  const command = (does: () => void) => () => (does(), true);
  const keys = keymap.of([
    { key: "Mod-Enter", run: command(run) },
    { key: "Escape", run: command(leave) },
    indentWithTab,
    ...defaultKeymap,
    ...historyKeymap,
  ]);
  const extensions = [
    keys,
    lineNumbers(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of("    "),
    bracketMatching(),
    lintGutter(),
    language("python"),
    colours,
    EditorView.contentAttributes.of({ tabindex: "0", "aria-label": "Program in Python: Control-Enter runs it, Escape leaves the editor" }),
    EditorView.updateListener.of((update) => void (update.docChanged && change())),
  ];
  const view = new EditorView({ parent, state: EditorState.create({ doc: "", extensions }) });
  return {
    get text() {
      return view.state.doc.toString();
    },
    set(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
    },
    mark(problems) {
      const found = problems.flatMap(({ message, place }) => (place ? [{ ...range(view.state.doc, place), message, severity: "error" as const }] : []));
      view.dispatch(setDiagnostics(view.state, found));
    },
    go(place) {
      view.dispatch({ selection: { anchor: range(view.state.doc, place).from }, scrollIntoView: true });
      view.focus();
    },
    focus: () => view.focus(),
  };
}

/** What a place covers: what it says, or the word there, or the line. */
function range(doc: Text, { line, column, endLine, endColumn }: Place): { from: number; to: number } {
  const first = doc.line(Math.min(Math.max(line, 1), doc.lines));
  if (column === undefined) return { from: first.from + first.text.search(/\S|$/), to: first.to };
  const from = Math.min(first.from + column - 1, first.to);
  const last = endLine !== undefined && endColumn !== undefined ? doc.line(Math.min(Math.max(endLine, line), doc.lines)) : null;
  const word = /^\w+|^./.exec(doc.sliceString(from, first.to))?.[0].length ?? 0;
  return { from, to: Math.max(last ? Math.min(last.from + endColumn! - 1, last.to) : from + word, from) };
}

/** Shows code that cannot be changed. */
export function makeCodeView(parent: HTMLElement): (code: string, kind: Kind) => void {
  const languages = new Compartment();
  const labels = new Compartment();
  const named = (kind: Kind): Extension => EditorView.contentAttributes.of({ tabindex: "0", "aria-label": `The program as ${kind.toUpperCase()}` });
  const extensions = [lineNumbers(), keymap.of(defaultKeymap), EditorState.readOnly.of(true), colours, languages.of([]), labels.of(named("isa"))];
  const view = new EditorView({ parent, state: EditorState.create({ doc: "", extensions }) });
  let shown: Kind | null = null;
  return (code, kind) => {
    const effects = kind === shown ? [] : [languages.reconfigure(language(kind)), labels.reconfigure(named(kind))];
    if (code !== view.state.doc.toString()) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: code } });
    view.dispatch({ effects });
    shown = kind;
  };
}
