/** The pages that people come back to, by the names in their addresses. */
export const seenPages = {
  projects: '/console/projects/$id',
  instances: '/console/instances/$id',
  deployments: '/console/deployments/$id',
  pipelines: '/console/pipelines/$id',
  runs: '/console/runs/$id',
} as const

/** A page that somebody saw, as it was called then. */
export type Seen = { kind: keyof typeof seenPages; id: string; title: string }

/** As many as a list shows without scrolling. */
const most = 8

/** The page of an address, where it is one to come back to. */
export function seenAt(path: string, title: string): Seen | undefined {
  const [, kind, id] = /^\/console\/(\w+)\/([^/]+)$/.exec(path) ?? []
  return kind !== undefined && id !== undefined && isKind(kind) ? { kind, id, title } : undefined
}

const isKind = (kind: unknown): kind is Seen['kind'] => typeof kind === 'string' && Object.hasOwn(seenPages, kind)

/** What was seen, with one more: the latest first, each once. */
export const withSeen = (all: readonly Seen[], one: Seen): Seen[] =>
  [one, ...all.filter(({ kind, id }) => kind !== one.kind || id !== one.id)].slice(0, most)

/** Kept by this browser alone, and for one member of one organization: titles are for who may see them. */
const keyOf = (membershipId: string) => `sluice.seen.${membershipId}`

export function seenBy(membershipId: string): Seen[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(membershipId)) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isSeen) : []
  } catch {
    return [] // whatever else somebody keeps there
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
