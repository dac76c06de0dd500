/** Pages in the list of recent views, by path segment. */
export const visitablePages = {
  projects: '/console/projects/$id',
  instances: '/console/instances/$id',
  deployments: '/console/deployments/$id',
  pipelines: '/console/pipelines/$id',
  runs: '/console/runs/$id',
} as const

/** Visited page with its title at that time. */
export type Visit = { kind: keyof typeof visitablePages; id: string; title: string }

/** Fits without scrolling. */
const maxVisits = 8

/** Returns the page at a path, if it is worth returning to. */
export function visitAt(path: string, title: string): Visit | undefined {
  const [, kind, id] = /^\/console\/(\w+)\/([^/]+)$/.exec(path) ?? []
  return kind !== undefined && id !== undefined && isKind(kind) ? { kind, id, title } : undefined
}

const isKind = (kind: unknown): kind is Visit['kind'] => typeof kind === 'string' && Object.hasOwn(visitablePages, kind)

/** Adds a visit: newest first, without duplicates. */
export const addVisit = (all: readonly Visit[], one: Visit): Visit[] =>
  [one, ...all.filter(({ kind, id }) => kind !== one.kind || id !== one.id)].slice(0, maxVisits)

/** Stored per browser and membership, because titles are visible only to members. */
const keyOf = (membershipId: string) => `sluice.seen.${membershipId}`

export function loadVisits(membershipId: string): Visit[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(membershipId)) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isSeen) : []
  } catch {
    return [] // ignore invalid stored data
  }
}

const isSeen = (one: unknown): one is Visit =>
  typeof one === 'object' &&
  one !== null &&
  isKind(Reflect.get(one, 'kind')) &&
  typeof Reflect.get(one, 'id') === 'string' &&
  typeof Reflect.get(one, 'title') === 'string'

export function storeVisit(membershipId: string, one: Visit): void {
  try {
    localStorage.setItem(keyOf(membershipId), JSON.stringify(addVisit(loadVisits(membershipId), one)))
  } catch {
    // A browser that keeps nothing shows nothing later.
  }
}
