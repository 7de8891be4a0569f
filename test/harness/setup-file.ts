import { afterAll } from 'vitest'
import { runEndings } from './at-end.ts'

afterAll(runEndings)
