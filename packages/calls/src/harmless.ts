import { stripVTControlCharacters } from 'node:util'

/** Removes control characters, so that foreign text cannot control the terminal. */
export const harmless = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, (character) =>
    /[\n\t]/.test(character) ? character : '�',
  )

const colour = new RegExp(`(${String.fromCharCode(27)}\\[[\\d;]*m)`)

/** Removes control characters except colours, and resets colours at the end. */
export const harmlessInColours = (text: string): string => {
  const parts = text.split(colour)
  const shown = parts.map((part, index) => (index % 2 === 1 ? part : harmless(part))).join('')
  return parts.length === 1 ? shown : shown.replace(/\n?$/, (end) => `\u001b[0m${end}`)
}
