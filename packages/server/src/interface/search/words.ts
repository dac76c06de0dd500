/** As many as people write; each costs a look at every candidate. */
const most = 8

/** What is searched for, word by word, as `words_of` in the migrations writes words. */
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
    .slice(0, most)
