// The page that Python made, with its parts as tabs: arrow keys go from one to the next.
function tabbed(view, chosen) {
  const parts = [...view.querySelectorAll(":scope > .hw-part")];
  const list = document.createElement("div");
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", view.querySelector("b").textContent);
  const name = `hw-${Math.random().toString(36).slice(2)}`;
  const tabs = parts.map((part, number) => {
    const tab = document.createElement("button");
    const body = part.querySelector(".hw-body");
    Object.assign(tab, { textContent: part.querySelector("summary").textContent, id: `${name}-${number}`, type: "button" });
    tab.setAttribute("role", "tab");
    body.setAttribute("role", "tabpanel");
    body.setAttribute("aria-labelledby", tab.id);
    tab.onclick = () => choose(number);
    part.replaceWith(body);
    list.append(tab);
    return [tab, body];
  });
  const choose = (wanted) => {
    tabs.forEach(([tab, body], number) => {
      tab.setAttribute("aria-selected", number === wanted);
      tab.tabIndex = number === wanted ? 0 : -1;
      body.hidden = number !== wanted;
    });
    view.dataset.chosen = tabs[wanted]?.[0].textContent ?? "";
  };
  list.onkeydown = ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!step) return;
    const now = tabs.findIndex(([tab]) => tab.getAttribute("aria-selected") === "true");
    const next = (now + step + tabs.length) % tabs.length;
    choose(next);
    tabs[next][0].focus();
  };
  view.querySelector(".hw-head").after(list);
  choose(Math.max(0, tabs.findIndex(([tab]) => tab.textContent === chosen)));
}

function render({ model, el }) {
  const show = () => {
    const chosen = el.querySelector(".hw-view")?.dataset.chosen; // the tab stays when the value changes
    el.innerHTML = model.get("html");
    tabbed(el.querySelector(".hw-view"), chosen);
  };
  model.on("change:html", show);
  show();
  return () => model.off("change:html", show);
}

export default { render };
