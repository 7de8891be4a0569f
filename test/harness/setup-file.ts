import fc from 'fast-check'
import { afterAll, inject } from 'vitest'
import { runCleanups } from './on-file-finished.ts'

fc.configureGlobal({ seed: inject('seed') })
afterAll(runCleanups)
