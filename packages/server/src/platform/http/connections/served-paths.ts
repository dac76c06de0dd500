import type { Route } from '@sluice/contract'

/** Index of the methods that each path accepts. Read only if no route matched. */
export class ServedPaths {
  readonly #methods = new Map<string, { pattern: RegExp; methods: Set<string> }>()

  add({ method, path }: Pick<Route, 'method' | 'path'>): void {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    const entry = this.#methods.get(pattern.source) ?? { pattern, methods: new Set<string>() }
    entry.methods.add(method)
    if (method === 'GET') entry.methods.add('HEAD')
    this.#methods.set(pattern.source, entry)
  }

  methodsOf(path: string): string[] {
    const matching = [...this.#methods.values()].filter(({ pattern }) => pattern.test(path))
    return matching.flatMap(({ methods }) => [...methods])
  }
}
