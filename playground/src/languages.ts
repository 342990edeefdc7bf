/** Colours of code: Python, and by a table each for ISA, WGSL and WAT. */
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { python } from "@codemirror/lang-python";
import { tags } from "@lezer/highlight";
import type { Kind } from "./protocol.js";

interface Words {
  comment: RegExp;
  keyword: RegExp;
  type: RegExp;
  name: RegExp;
}

const NUMBER = /^-?(0x[\da-f]+|\d[\d_]*(\.\d*)?(e[-+]?\d+)?)[a-z]*/i;

const WORDS: Record<Kind, Words> = {
  isa: { comment: /^;.*|^ *\d+ \|.*/, keyword: /^\.[a-z_]+|^[a-z][a-z_\d]*(\.[a-z_\d]+)*(?= )/, type: /^(buffer|read_write|read|write|[iuf]\d+|bf16)\b/, name: /^[\w$]+:?/ },
  wgsl: {
    comment: /^\/\/.*/,
    keyword: /^(fn|let|var|const|if|else|loop|for|while|switch|case|default|break|continue|continuing|return|struct|enable|override|alias|diagnostic|requires)\b|^@\w+/,
    type: /^(u32|i32|f32|f16|bool|array|atomic|vec[234]\w*|mat\w+|ptr|storage|workgroup|uniform|private|function|read_write|read)\b/,
    name: /^\w+/,
  },
  wat: {
    comment: /^;;.*/,
    keyword: /^(module|func|import|export|memory|global|local|param|result|type|table|data|elem|block|loop|if|then|else|end|br|br_if|br_table|return|call|call_indirect|drop|select|unreachable|nop|local\.\w+|global\.\w+)(?![\w.])/,
    type: /^([if](32|64)|v128|[if]\d+x\d+)(?=[.\s)])/,
    name: /^[$\w.]+/,
  },
};

function languageOf({ comment, keyword, type, name }: Words): Extension {
  return StreamLanguage.define({
    token(stream) {
      if (stream.eatSpace()) return null;
      if (stream.match(comment)) return "comment";
      if (stream.match(type)) return "typeName";
      if (stream.match(keyword)) return "keyword";
      if (stream.match(NUMBER)) return "number";
      if (stream.match(/^"[^"]*"/)) return "string";
      if (stream.match(name)) return "variableName";
      stream.next();
      return null;
    },
  });
}

export const language = (kind: Kind | "python"): Extension => (kind === "python" ? python() : languageOf(WORDS[kind]));

/** Colours are of style.css, which has them for light and dark. */
export const colours: Extension = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], color: "var(--keyword)" },
    { tag: [tags.string, tags.special(tags.string)], color: "var(--string)" },
    { tag: [tags.number, tags.bool, tags.null], color: "var(--number)" },
    { tag: [tags.comment, tags.lineComment], color: "var(--comment)" },
    { tag: [tags.typeName, tags.className], color: "var(--type)" },
    { tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName)), tags.meta], color: "var(--function)" },
  ]),
);
