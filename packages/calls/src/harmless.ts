import { stripVTControlCharacters } from 'node:util'

/** Texts of others must not steer the terminal. */
export const harmless = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, (character) =>
    /[\n\t]/.test(character) ? character : '�',
  )
