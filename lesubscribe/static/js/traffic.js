// The plots of a publisher's traffic, from the table that those read who cannot see them: accepted and rejected items
// as bars, the time until they were matched as two lines, which differ in dash and marker and bear their names. Drawn
// anew when the table was (every ten seconds), and in the colours of the page when its scheme changes.
"use strict";

(() => {
  const HEIGHT = 176;
  const PER_DAY = "fortnight";
  let plots = [];

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  const columns = (body) => {
    const rows = [...body.querySelectorAll("tr")];
    const column = (place) =>
      rows.map((row) => row.querySelectorAll("td")[place].dataset.value).map((value) => (value === "" ? null : Number(value)));
    return {
      moments: rows.map((row) => Date.parse(row.querySelector("time").dateTime) / 1000),
      accepted: column(0),
      rejected: column(1),
      half: column(2),
      most: column(3),
    };
  };

  const inUtc = (seconds) => uPlot.tzDate(new Date(seconds * 1e3), "Etc/UTC");

  const asMoment = (range) => {
    const parts = range === PER_DAY ? { day: "numeric", month: "short" } : { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
    const format = new Intl.DateTimeFormat(document.documentElement.lang, { ...parts, timeZone: "UTC" });
    return (self, ticks) => ticks.map((seconds) => format.format(seconds * 1e3));
  };

  // What all three have; `apart` are the seconds from one row to the next.
  const frame = (place, range, apart, axis, least) => ({
    width: place.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    tzDate: inUtc,
    scales: {
      x: { time: true, range: (self, low, high) => [low - apart / 2, high + apart / 2] },
      y: { range: (self, low, high) => [0, Math.max(high ?? 0, least) * 1.05] },
    },
    axes: [
      { ...axis, grid: { show: false }, size: 28, values: asMoment(range) },
      { ...axis, grid: { stroke: colour("--hairline"), width: 1 }, size: 52 },
    ],
  });

  const bars = (place, range, apart, axis, moments, counts, fill) => {
    const options = frame(place, range, apart, axis, 1);
    const number = new Intl.NumberFormat(document.documentElement.lang, { notation: "compact" });
    options.axes[1].incrs = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6, 1e7];
    options.axes[1].values = (self, ticks) => ticks.map((tick) => number.format(tick));
    options.series = [{}, { fill, width: 0, points: { show: false }, paths: uPlot.paths.bars({ size: [0.8, 32] }) }];
    return new uPlot(options, [moments, counts], place);
  };

  // Where a line has markers: not at every point where these would touch, but at each that stands alone.
  const marked = (self, series) => {
    const values = self.data[series];
    const step = Math.ceil((14 * values.length) / (self.bbox.width / devicePixelRatio));
    const alone = (place) => (values[place - 1] ?? null) === null && (values[place + 1] ?? null) === null;
    return values.flatMap((value, place) => (value !== null && (place % step === 0 || alone(place)) ? [place] : []));
  };

  const squares = (self, series) => {
    const { ctx } = self;
    const size = 7 * devicePixelRatio;
    ctx.save();
    ctx.strokeStyle = self.series[series].stroke(self, series);
    ctx.fillStyle = colour("--ground");
    ctx.lineWidth = 2 * devicePixelRatio;
    ctx.setLineDash([]);
    for (const place of marked(self, series)) {
      const x = self.valToPos(self.data[0][place], "x", true) - size / 2;
      const y = self.valToPos(self.data[series][place], "y", true) - size / 2;
      ctx.fillRect(x, y, size, size);
      ctx.strokeRect(x, y, size, size);
    }
    ctx.restore();
  };

  // The names of both lines, at the height where each ends, as not everybody can tell their colours apart.
  const named = (self, nameOfHalf, nameOfMost) => {
    const { ctx } = self;
    const scale = devicePixelRatio;
    const end = (series) => self.data[series].findLast((value) => value !== null);
    if (end(1) === undefined) return;
    const half = self.valToPos(end(1), "y", true);
    const most = Math.min(self.valToPos(end(2), "y", true), half - 15 * scale);
    ctx.save();
    ctx.font = `600 ${12 * scale}px ${getComputedStyle(document.body).fontFamily}`;
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    for (const [series, name, y] of [[1, nameOfHalf, half], [2, nameOfMost, most]]) {
      ctx.fillStyle = self.series[series].stroke(self, series);
      ctx.fillText(name, self.bbox.left + self.bbox.width + 6 * scale, y);
    }
    ctx.restore();
  };

  const lines = (place, range, apart, axis, moments, half, most) => {
    const options = frame(place, range, apart, axis, 0.1);
    const { unit, half: nameOfHalf, most: nameOfMost } = place.dataset;
    const number = new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: 2 });
    options.axes[1].values = (self, ticks) => ticks.map((tick) => `${number.format(tick)} ${unit}`);
    options.padding = [null, 20 + 7 * Math.max(nameOfHalf.length, nameOfMost.length), null, null]; // for the names
    const accent = colour("--accent");
    options.series = [
      {},
      { stroke: accent, width: 2, points: { show: true, size: 7, fill: accent, filter: marked } },
      { stroke: colour("--signal"), width: 2, dash: [6, 4], points: { show: false } },
    ];
    options.hooks = {
      drawSeries: [(self, series) => { if (series === 2) squares(self, series); }],
      draw: [(self) => named(self, nameOfHalf, nameOfMost)],
    };
    return new uPlot(options, [moments, half, most], place);
  };

  const draw = () => {
    const body = document.getElementById("traffic-rows");
    for (const plot of plots) plot.destroy();
    plots = [];
    if (!body) return;
    const { range } = body.dataset;
    const { moments, accepted, rejected, half, most } = columns(body);
    const apart = moments[1] - moments[0];
    const font = `12px ${getComputedStyle(document.body).fontFamily}`;
    const axis = { stroke: colour("--ink-soft"), font, ticks: { show: false } };
    const place = (name) => document.querySelector(`[data-traffic="${name}"]`);
    plots = [
      bars(place("accepted"), range, apart, axis, moments, accepted, colour("--accent")),
      bars(place("rejected"), range, apart, axis, moments, rejected, colour("--loss")),
      lines(place("waits"), range, apart, axis, moments, half, most),
    ];
  };

  document.addEventListener("DOMContentLoaded", () => {
    draw();
    document.body.addEventListener("htmx:afterSwap", (event) => { if (event.detail.target.id === "traffic-rows") draw(); });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    let timer;
    addEventListener("resize", () => { clearTimeout(timer); timer = setTimeout(draw, 150); });
  });
})();
