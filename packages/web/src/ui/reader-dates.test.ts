import { expect, it } from 'vitest'
import { validLocales } from './reader-dates.ts'

it('leaves out languages that are not valid, with which no date could be written', () => {
  expect(validLocales(['en-US@posix', 'de-AT', '', 'C'])).toEqual(['de-AT'])
})
