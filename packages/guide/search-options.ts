/** Finds pages with every word of the query: otherwise "roll back a canary" would find each page with an "a". */
export const searchOptions = { combineWith: 'AND', prefix: true, fuzzy: 0.1 } as const
