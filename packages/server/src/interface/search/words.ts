/** Maximum number of words; each is compared with every candidate. */
const maxWords = 8

/** Splits a search text into words, as `words_of` in the migrations does. */
export const wordsOf = (text: string): string[] =>
  [
    ...new Set(
      text
        .toLowerCase()
        .split(/[\s\p{Cc}]+/u)
        .map((word) => word.replaceAll(/^\.+|\.+$/g, '')),
    ),
  ]
    .filter((word) => word !== '')
    .slice(0, maxWords)
