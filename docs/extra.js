// The theme makes these in the page: regions that scroll get to be reached by keys, and the buttons of code are no landmarks.
function mend() {
  for (const region of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) region.tabIndex = 0;
  for (const buttons of document.querySelectorAll("nav.md-code__nav:not([role])")) buttons.setAttribute("role", "none");
}

new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
mend();
