/** Numbers and errors as people read them. */

/** An error in words, in as few as it has. */
export function told(error: unknown): string {
  const { name, message } = (error ?? {}) as { name?: string; message?: string };
  const text = message ?? String(error);
  return !name || name === "Error" ? text : `${name}: ${text}`;
}

export const milliseconds = (value: number): string => `${value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString("en")} ms`;

export const bytes = (count: number): string => (count < 10_000 ? `${count.toLocaleString("en")} bytes` : `${Math.round(count / 1000).toLocaleString("en")} KB`);

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

type Content = Node | string;

/** An element with attributes and what is in it. */
export function element<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, string> = {}, ...content: Content[]): HTMLElementTagNameMap[K] {
  const found = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) found.setAttribute(name, value);
  found.append(...content);
  return found;
}
