import { readStored, store } from '../session/browser-storage.ts'

/** How this browser announces a call that needs a person. */
export type AlertSettings = { notification: boolean; sound: boolean }

const STORED_AS = 'touchstone.approval-alerts'

const OFF: AlertSettings = { notification: false, sound: false }

export function readAlertSettings(text = readStored(STORED_AS)): AlertSettings {
  const words = (text ?? '').split(' ')
  return { notification: words.includes('notification'), sound: words.includes('sound') }
}

/** Returns the settings that are kept: none if the browser blocks its storage. */
export function storeAlertSettings(settings: AlertSettings): AlertSettings {
  const words = (['notification', 'sound'] as const).filter((word) => settings[word])
  return store(STORED_AS, words.join(' ')) ? settings : OFF
}
