import { typeidUnboxed } from 'typeid-js'

/** What an id is an id of, by its prefix. Ids sort by the time they were made. */
export type IdPrefix =
  | 'org'
  | 'usr'
  | 'idn'
  | 'mem'
  | 'sa'
  | 'key'
  | 'prj'
  | 'env'
  | 'ca'
  | 'md'
  | 'mv'
  | 'mi'
  | 'dep'
  | 'evt'
  | 'req'

/** A new id such as `dep_01k9…`: time-sortable, unique, opaque to callers. */
export const newId = (prefix: IdPrefix): string => typeidUnboxed(prefix)
