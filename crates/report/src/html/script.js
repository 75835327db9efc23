"use strict";
(() => {
  const root = document.documentElement;
  const toggle = document.getElementById("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const theme = () => root.dataset.theme || (dark.matches ? "dark" : "light");
  const label = () => { toggle.textContent = theme() === "dark" ? "Light" : "Dark"; };
  toggle.hidden = false;
  toggle.addEventListener("click", () => { root.dataset.theme = theme() === "dark" ? "light" : "dark"; label(); });
  dark.addEventListener("change", label);
  label();

  const boxes = [...document.querySelectorAll(".scroll")];
  const measure = () => { for (const box of boxes) box.classList.toggle("cut", box.scrollWidth > box.clientWidth + 1); };
  addEventListener("resize", measure);
  addEventListener("toggle", measure, true);
  addEventListener("change", measure);
  measure();

  const copy = async (text) => {
    try { await navigator.clipboard.writeText(text); return true; } catch { /* refused, or not there: the older way */ }
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  };
  for (const button of document.querySelectorAll("button.copy")) {
    const name = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const done = await copy(document.getElementById(button.dataset.of).textContent);
      button.textContent = done ? "Copied" : "The browser does not allow it";
      setTimeout(() => { button.textContent = name; }, 1500);
    });
  }

  for (const flame of document.querySelectorAll(".flame")) {
    const frames = [...flame.querySelectorAll(".frame")];
    const figure = flame.closest("figure");
    const detail = figure.querySelector(".detail");
    const hint = detail.textContent + "; hover for numbers, click to enlarge, click the top to go back";
    detail.textContent = hint;
    const place = (frame) => [Number(frame.dataset.x), Number(frame.dataset.w), Number(frame.dataset.y)];
    const zoom = (to) => {
      const [x, w, y] = place(to);
      for (const frame of frames) {
        const [fx, fw, fy] = place(frame);
        const above = fy < y && fx <= x + 1e-9 && fx + fw >= x + w - 1e-9;
        const inside = fy >= y && fx >= x - 1e-9 && fx + fw <= x + w + 1e-9;
        frame.hidden = !above && !inside;
        frame.classList.toggle("faded", above);
        frame.style.left = above ? "0" : 100 * (fx - x) / w + "%";
        frame.style.width = above ? "100%" : 100 * fw / w + "%";
        frame.classList.toggle("thin", !above && fw / w < 0.012);
      }
    };
    const show = (frame) => { detail.textContent = frame.title; };
    figure.classList.add("zoomable");
    for (const frame of frames) {
      frame.tabIndex = 0;
      frame.setAttribute("role", "button");
      frame.addEventListener("click", () => zoom(frame));
      frame.addEventListener("mouseenter", () => show(frame));
      frame.addEventListener("focus", () => show(frame));
      frame.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") { event.preventDefault(); zoom(frame); }
        if (event.key === "Escape") zoom(frames[0]);
      });
    }
    flame.addEventListener("mouseleave", () => { detail.textContent = hint; });
  }
})();
