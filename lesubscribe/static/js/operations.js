// Plots of the operations page. Each figure names the columns of the table that it shows (data-plot-of), one line for each:
// solid, dashed, dotted, as in its caption; with data-whole the axis has whole numbers only. Drawn anew when the table has come again, the scheme changes or the width does.
"use strict";

(() => {
  const HEIGHT = 168;
  const LINES = [
    { colour: "--accent", dash: [], width: 2 },
    { colour: "--signal", dash: [8, 4], width: 2 },
    { colour: "--ink", dash: [2, 3], width: 2 },
  ];
  const WHOLE = [1, 2, 5].flatMap((digit) => [0, 1, 2, 3, 4, 5, 6, 7].map((power) => digit * 10 ** power)).sort((a, b) => a - b);
  let plots = [];

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const number = (cell) => (cell.textContent.trim() === "" ? null : Number(cell.textContent));

  /** One array of moments and one of each column; a pause of the samples is a gap, not a line across it. */
  const samples = (body) => {
    const columns = [[], [], [], [], [], [], [], []];
    const step = Number(body.dataset.step);
    for (const row of body.rows) {
      const at = Date.parse(row.querySelector("time").dateTime) / 1000;
      const last = columns[0].at(-1);
      if (last !== undefined && at - last > 2 * step) columns.forEach((column, place) => column.push(place ? null : last + step));
      columns.forEach((column, place) => column.push(place ? number(row.cells[place]) : at));
    }
    return columns;
  };

  const shortened = (value) => new Intl.NumberFormat(document.documentElement.lang, { notation: "compact", maximumFractionDigits: 1 }).format(value + 0); // never "-0"

  const drawn = (figure, columns) => {
    const places = figure.dataset.plotOf.split(" ").map(Number);
    const place = figure.querySelector("[data-plot]");
    const font = `12px ${getComputedStyle(document.body).fontFamily}`;
    const axis = { stroke: colour("--ink-soft"), font, ticks: { show: false }, grid: { stroke: colour("--hairline"), width: 1 } };
    const lines = places.map((_, at) => {
      const line = LINES[at];
      return { stroke: colour(line.colour), dash: line.dash, width: line.width, points: { show: columns[0].length < 3, size: 6 } };
    });
    return new uPlot(
      {
        width: place.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: { y: { range: (self, low, high) => [0, Math.max((high ?? 0) * 1.1, 1)] } },
        axes: [
          { ...axis, grid: { show: false }, size: 28, values: (self, ticks, _axis, _space, step) => ticks.map((at) => moment(at, step)) },
          { ...axis, size: 44, incrs: "whole" in figure.dataset ? WHOLE : undefined, values: (self, ticks) => ticks.map(shortened) },
        ],
        series: [{}, ...lines],
      },
      [columns[0], ...places.map((at) => columns[at])],
      place,
    );
  };

  const moment = (seconds, step) =>
    new Intl.DateTimeFormat(document.documentElement.lang, step < 86_400 ? { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } : { day: "numeric", month: "short" }).format(seconds * 1e3);

  const draw = () => {
    for (const plot of plots) plot.destroy();
    const body = document.querySelector("[data-samples]");
    if (!body || !body.rows.length) { plots = []; return; }
    const columns = samples(body);
    const figures = [...document.querySelectorAll("[data-plot-of]")];
    for (const figure of figures) figure.hidden = false; // all of them first: they share the width
    plots = figures.map((figure) => drawn(figure, columns));
  };

  document.addEventListener("DOMContentLoaded", () => {
    draw();
    document.body.addEventListener("htmx:afterSwap", (event) => { if (event.detail.target.matches("[data-samples]")) draw(); });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    let timer;
    addEventListener("resize", () => { clearTimeout(timer); timer = setTimeout(draw, 150); });
  });
})();
