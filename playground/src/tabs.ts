/** Tabs by the pattern of ARIA: arrows, Home and End move among them, one of them is in the order of Tab. */

export interface Tabs {
  readonly chosen: string;
  choose(name: string): void;
  /** A mark behind the name of a tab. */
  note(name: string, mark: string): void;
}

export function makeTabs(list: HTMLElement, changed: (name: string) => void): Tabs {
  const buttons = [...list.querySelectorAll<HTMLButtonElement>("[role=tab]")];
  const nameOf = (button: HTMLElement): string => button.dataset["name"]!;
  let chosen = nameOf(buttons[0]!);

  const choose = (name: string): void => {
    if (name === chosen) return;
    chosen = name;
    for (const button of buttons) {
      const mine = nameOf(button) === name;
      button.ariaSelected = String(mine);
      button.tabIndex = mine ? 0 : -1;
      if (mine) document.getElementById(button.getAttribute("aria-controls")!)!.setAttribute("aria-labelledby", button.id);
    }
    changed(name);
  };

  const moves: Record<string, (at: number) => number> = {
    ArrowRight: (at) => (at + 1) % buttons.length,
    ArrowLeft: (at) => (at + buttons.length - 1) % buttons.length,
    Home: () => 0,
    End: () => buttons.length - 1,
  };
  list.addEventListener("keydown", (event) => {
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    const next = buttons[move(buttons.findIndex((button) => nameOf(button) === chosen))]!;
    choose(nameOf(next));
    next.focus();
  });
  for (const button of buttons) button.onclick = () => choose(nameOf(button));

  return {
    get chosen() {
      return chosen;
    },
    choose,
    note(name, mark) {
      const button = buttons.find((other) => nameOf(other) === name)!;
      button.dataset["mark"] = mark;
    },
  };
}
