#!/usr/bin/env node
require('../dist/hook.cjs').hookMain(process.argv.slice(2))
