const TONES_HZ = [660, 880] as const
const TONE_SECONDS = 0.14
const VOLUME = 0.08

/** Two short tones. A browser plays them only after the reader has used the page. */
export function playTone(): void {
  const audio = new AudioContext()
  const volume = audio.createGain()
  volume.gain.value = VOLUME
  volume.connect(audio.destination)
  for (const [place, frequency] of TONES_HZ.entries()) {
    const tone = audio.createOscillator()
    tone.frequency.value = frequency
    tone.connect(volume)
    tone.start(audio.currentTime + place * TONE_SECONDS)
    tone.stop(audio.currentTime + (place + 1) * TONE_SECONDS)
    if (place === TONES_HZ.length - 1) tone.onended = () => void audio.close()
  }
}
