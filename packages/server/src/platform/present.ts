/** `T` with each property that may be undefined made optional. */
export type Present<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K]
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Removes undefined properties: in the API, absent and undefined must not differ. */
export function present<T extends object>(members: T): Present<T> {
  const there: Record<string, unknown> = {}
  // A loop, because every response is built here and `Object.entries` takes five times as long.
  for (const name of Object.keys(members)) {
    const value = Reflect.get(members, name)
    if (value !== undefined) there[name] = value
  }
  return there as Present<T>
}
