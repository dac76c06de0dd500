import { stripVTControlCharacters } from 'node:util'

/** Texts of others must not steer the terminal. */
export const harmless = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, (character) =>
    /[\n\t]/.test(character) ? character : '�',
  )

const colour = new RegExp(`(${String.fromCharCode(27)}\\[[\\d;]*m)`)

/** The same of a text in colours, which stay and end with it. */
export const harmlessInColours = (text: string): string => {
  const parts = text.split(colour)
  const shown = parts.map((part, index) => (index % 2 === 1 ? part : harmless(part))).join('')
  return parts.length === 1 ? shown : shown.replace(/\n?$/, (end) => `\u001b[0m${end}`)
}
