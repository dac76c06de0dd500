import { stripVTControlCharacters } from 'node:util'

/** Removes control characters, so that foreign text cannot control the terminal. */
export const removeControlCharacters = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, (character) =>
    /[\n\t]/.test(character) ? character : '�',
  )

const colour = new RegExp(`(${String.fromCharCode(27)}\\[[\\d;]*m)`)

/** Removes control characters except colours, and resets colours at the end. */
export const removeControlCharactersExceptColours = (text: string): string => {
  const parts = text.split(colour)
  const shown = parts.map((part, index) => (index % 2 === 1 ? part : removeControlCharacters(part))).join('')
  return parts.length === 1 ? shown : shown.replace(/\n?$/, (end) => `\u001b[0m${end}`)
}

/**
 * Escapes characters in JSON that control some terminals, which does not change its meaning. `JSON.stringify` already
 * escapes those below U+0020.
 */
export const escapeControlCharactersInJson = (json: string): string =>
  json.replaceAll(
    /[\u007f-\u009f\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
