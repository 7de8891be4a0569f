// npm run build: bundles the hook of coding agents from the sources.
import { bundleHook } from './setup.mjs'

process.exit(bundleHook())
