import { randomBytes } from 'node:crypto'
import { removeControlCharacters } from '@sluice/calls/control-characters'

/** Maximum length of a text, in characters. */
const maxTextLength = 2_000

/** Maximum length of a text within a line, in characters. */
const maxWordLength = 200

/**
 * Wraps foreign text in two marks that are unique to this result. Its author cannot know them, so nothing in the text
 * can look like its end.
 */
export function delimitUntrustedText(text: string): string {
  const mark = randomBytes(12).toString('hex')
  return `<data ${mark}>\n${text}\n</data ${mark}>`
}

/** Matches tag and zero-width characters, which models read but people cannot see. */
const unseen = /[\u{200b}\u{2060}-\u{2064}\u{feff}\u{e0000}-\u{e007f}]/gu

/** Removes control and invisible characters. */
export const replaceInvisible = (text: string): string =>
  removeControlCharacters(text.replaceAll('\r\n', '\n'))
    .replaceAll(unseen, '�')
    .replaceAll(/\p{Variation_Selector}/gu, '')

/** Truncates a text to a maximum length. */
export const truncate = (text: string, maxLength = maxTextLength): string =>
  text.length > maxLength ? `${text.slice(0, maxLength)}… (${text.length - maxLength} characters more)` : text

/** Returns a text shortened for use within a line; empty for undefined. */
export const toWord = (text: string | undefined): string =>
  truncate((text ?? '').replaceAll(/\s+/g, ' ').trim(), maxWordLength)
