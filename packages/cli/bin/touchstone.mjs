#!/usr/bin/env node
const [command, ...rest] = process.argv.slice(2)

// A coding agent waits for its hook before every call, so a hook loads nothing else.
if (command === 'hook' && !rest.includes('--help')) {
  const { hookMain } = await import('../dist/hook/main.js')
  await hookMain(rest)
} else {
  const { main } = await import('../dist/main.js')
  await main(process.argv.slice(2))
}
