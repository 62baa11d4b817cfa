// The page about the API: Swagger has a palette for the dark, but does not look whether it is wanted.
"use strict";

(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  follow();
  dark.addEventListener("change", follow);
})();
