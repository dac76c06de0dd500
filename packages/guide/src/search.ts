import MiniSearch, { type Options } from 'minisearch'

/** Section of a page in the search index. `parents` are the titles of the enclosing sections. */
export type Entry = { id: string; title: string; parents: string; text: string }

/** Finds sections with every word of the query: otherwise "roll back a canary" would find each page with an "a". */
const searchOptions: Options<Entry> = {
  fields: ['title', 'parents', 'text'],
  storeFields: ['title', 'parents'],
  searchOptions: { combineWith: 'AND', prefix: true, fuzzy: 0.1, boost: { title: 4, text: 2, parents: 1 } },
}

/** Returns the index of the entries, as the browser loads it. */
export function makeIndex(entries: readonly Entry[]): string {
  const index = new MiniSearch(searchOptions)
  index.addAll(entries)
  return JSON.stringify(index)
}

/** Opens an index that `makeIndex` made. */
export const openIndex = (json: string): MiniSearch<Entry> => MiniSearch.loadJSON(json, searchOptions)
