import { describe, expect, it } from 'vitest'
import { readAlertSettings } from './alert-settings.ts'

describe('announcements of approvals', () => {
  it('are off until they are turned on', () => {
    expect(readAlertSettings(null)).toEqual({ notification: false, sound: false })
    expect(readAlertSettings('nonsense')).toEqual({ notification: false, sound: false })
  })

  it('are turned on one by one', () => {
    expect(readAlertSettings('sound')).toEqual({ notification: false, sound: true })
    expect(readAlertSettings('notification sound')).toEqual({ notification: true, sound: true })
  })
})
