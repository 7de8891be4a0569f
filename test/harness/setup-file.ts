import fc from 'fast-check'
import { afterAll, inject } from 'vitest'
import { runEndings } from './at-end.ts'

fc.configureGlobal({ seed: inject('seed') })
afterAll(runEndings)
