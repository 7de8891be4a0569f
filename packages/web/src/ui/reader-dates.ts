/** The languages of a browser that are valid: without a language of the system, Chromium has `en-US@posix`. */
export function validLocales(languages: readonly string[]): string[] {
  return languages.filter((language) => {
    try {
      return new Intl.Locale(language).language !== ''
    } catch {
      return false
    }
  })
}

/** Outside a browser, as in tests of pure functions, dates are in English. */
const LOCALES = typeof document === 'undefined' ? ['en'] : validLocales(navigator.languages)

/**
 * Formats dates as the reader writes them: in the order, words and hours of the preferred language, and in the
 * time zone of the browser unless the options name one. Other texts of the dashboard are in English.
 */
export function readerDates(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(LOCALES, options)
}
