import { randomBytes } from 'node:crypto'
import { harmless } from '@sluice/calls/harmless'

/** Longer texts are cut. Characters. */
const longestText = 2_000

/** Longer texts are cut where they are part of a line. Characters. */
const longestWord = 200

/**
 * A text of others between two marks that only this answer has: whoever wrote the text cannot have known them, so
 * nothing in it can look like its end.
 */
export function inBlock(text: string): string {
  const mark = randomBytes(12).toString('hex')
  return `<data ${mark}>\n${text}\n</data ${mark}>`
}

/** Tags, spaces of no width and marks that join nothing: models read them, and people do not see them. */
const unseen = /[\u{200b}\u{2060}-\u{2064}\u{feff}\u{e0000}-\u{e007f}]/gu

/** A text without what steers a terminal, and without what only a machine sees. */
export const visible = (text: string): string =>
  harmless(text.replaceAll('\r\n', '\n'))
    .replaceAll(unseen, '�')
    .replaceAll(/\p{Variation_Selector}/gu, '')

/** A text that is shown as it stands, as long as that is bearable. */
export const cut = (text: string, most = longestText): string =>
  text.length > most ? `${text.slice(0, most)}… (${text.length - most} characters more)` : text

/** A text as a part of a line; nothing of nothing. */
export const word = (text: string | undefined): string => cut((text ?? '').replaceAll(/\s+/g, ' ').trim(), longestWord)
