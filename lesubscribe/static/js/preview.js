// The plot of a preview: finds per day as bars, from the table that those hear who cannot see it. Its colours are those
// of the page, so it is drawn anew when the scheme changes.
"use strict";

(() => {
  const HEIGHT = 144;
  const DAY = 86_400;
  let plot = null;

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  const days = (table) => {
    const rows = [...table.querySelectorAll("tbody tr")];
    return [
      rows.map((row) => Date.parse(`${row.querySelector("time").dateTime}T00:00Z`) / 1000),
      rows.map((row) => Number(row.querySelector("td").textContent)),
    ];
  };

  const draw = () => {
    const place = document.querySelector("[data-plot]");
    plot?.destroy();
    plot = null;
    if (!place) return;
    const data = days(document.querySelector("[data-days]"));
    const font = `12px ${getComputedStyle(document.body).fontFamily}`;
    const axis = { stroke: colour("--ink-soft"), font, ticks: { show: false } };
    const inUtc = (seconds) => uPlot.tzDate(new Date(seconds * 1e3), "Etc/UTC");
    plot = new uPlot(
      {
        width: place.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        tzDate: inUtc,
        scales: {
          x: { time: true, range: (self, low, high) => [low - DAY / 2, high + DAY / 2] },
          y: { range: (self, low, high) => [0, Math.max(high, 1)] },
        },
        axes: [
          { ...axis, grid: { show: false }, size: 28, values: (self, ticks) => ticks.map(dayAndMonth) },
          { ...axis, grid: { stroke: colour("--hairline"), width: 1 }, size: 40, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5], values: (self, ticks) => ticks.map(inFigures) },
        ],
        series: [{}, { fill: colour("--accent"), width: 0, points: { show: false }, paths: uPlot.paths.bars({ size: [0.7, 24] }) }],
      },
      data,
      place,
    );
  };

  const dayAndMonth = (seconds) =>
    new Intl.DateTimeFormat(document.documentElement.lang, { day: "numeric", month: "short", timeZone: "UTC" }).format(seconds * 1e3);

  const inFigures = (count) => new Intl.NumberFormat(document.documentElement.lang).format(count);

  document.addEventListener("DOMContentLoaded", () => {
    draw();
    document.body.addEventListener("htmx:afterSwap", (event) => { if (event.detail.target.id === "preview-shown") draw(); });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    let timer;
    addEventListener("resize", () => { clearTimeout(timer); timer = setTimeout(draw, 150); });
  });
})();
