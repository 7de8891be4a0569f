/** Self-contained: no fonts, images or scripts; supports light and dark mode and small screens. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --ink: #1f2328; --quiet: #57606a; --line: #d0d7de; --band: #f6f8fa; --link: #0550ae;
}
@media (prefers-color-scheme: dark) {
  :root { --ground: #15181b; --ink: #e6e8ea; --quiet: #a3abb3; --line: #3a4149; --band: #1f2428; --link: #8ab4f8; }
}
body {
  margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 44rem;
  background: var(--ground); color: var(--ink);
  font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: break-word;
}
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.5rem 0 0.75rem; }
a { color: var(--link); }
code { font: 0.875em ui-monospace, monospace; background: var(--band); padding: 0.1em 0.25em; border-radius: 3px; }
small { display: block; color: var(--quiet); font-size: 0.8125rem; font-weight: normal; }
li { margin: 0.35rem 0; }
table { min-width: min(100%, 24rem); border-collapse: collapse; margin: 1rem 0 1.5rem; font-size: 0.9375rem; line-height: 1.45; }
caption { text-align: left; color: var(--quiet); font-size: 0.875rem; padding-bottom: 0.4rem; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
tbody th { font-weight: 600; }
@media (max-width: 24rem) { table { font-size: 0.8125rem; } small { font-size: 0.75rem; } }
.figure { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
`
