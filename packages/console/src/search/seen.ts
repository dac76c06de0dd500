/** Pages in the list of recent views, by path segment. */
export const seenPages = {
  projects: '/console/projects/$id',
  instances: '/console/instances/$id',
  deployments: '/console/deployments/$id',
  pipelines: '/console/pipelines/$id',
  runs: '/console/runs/$id',
} as const

/** Visited page with its title at that time. */
export type Seen = { kind: keyof typeof seenPages; id: string; title: string }

/** Fits without scrolling. */
const most = 8

/** Returns the page at a path, if it is worth returning to. */
export function seenAt(path: string, title: string): Seen | undefined {
  const [, kind, id] = /^\/console\/(\w+)\/([^/]+)$/.exec(path) ?? []
  return kind !== undefined && id !== undefined && isKind(kind) ? { kind, id, title } : undefined
}

const isKind = (kind: unknown): kind is Seen['kind'] => typeof kind === 'string' && Object.hasOwn(seenPages, kind)

/** Adds a visit: newest first, without duplicates. */
export const withSeen = (all: readonly Seen[], one: Seen): Seen[] =>
  [one, ...all.filter(({ kind, id }) => kind !== one.kind || id !== one.id)].slice(0, most)

/** Stored per browser and membership, because titles are visible only to members. */
const keyOf = (membershipId: string) => `sluice.seen.${membershipId}`

export function seenBy(membershipId: string): Seen[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(membershipId)) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isSeen) : []
  } catch {
    return [] // ignore invalid stored data
  }
}

const isSeen = (one: unknown): one is Seen =>
  typeof one === 'object' &&
  one !== null &&
  isKind(Reflect.get(one, 'kind')) &&
  typeof Reflect.get(one, 'id') === 'string' &&
  typeof Reflect.get(one, 'title') === 'string'

export function noteSeen(membershipId: string, one: Seen): void {
  try {
    localStorage.setItem(keyOf(membershipId), JSON.stringify(withSeen(seenBy(membershipId), one)))
  } catch {
    // A browser that keeps nothing shows nothing later.
  }
}
