import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import type { Isolation } from '../isolation/isolation.ts'
import { systemProgram } from '../isolation/machine.ts'

/** What decides whether a machine can build images, and as whom. */
export type Machine = {
  isolation: Isolation['kind']
  isRoot: boolean
  /** What keeps the runner's user from having a range of ids; undefined where it has one. */
  withoutRange: string | undefined
  /** The first of the tools that is not installed. */
  lacks: string | undefined
}

/** Who builds images: root, or the runner's user with a range of ids in a namespace of its own; or why nobody does. */
export type Builder = 'root' | 'range' | { missing: string }

/**
 * What runs in a Dockerfile needs a range of user ids, which a sandbox with one user does not have, and is never given
 * less of a sandbox than its runner promises.
 */
export function builderOn({ isolation, isRoot, withoutRange, lacks }: Machine): Builder {
  if (isolation === 'bubblewrap') {
    return { missing: 'its sandbox has one user id, and an image takes a range of them' }
  }
  if (lacks !== undefined) return { missing: `${lacks} is not installed` }
  if (isRoot) return 'root'
  if (withoutRange === undefined) return 'range'
  return { missing: `it does not run as root, and an image takes a range of user ids: ${withoutRange}` }
}

/** What builds images, and what keeps that apart. */
const tools = ['buildah', 'unshare', 'mount']
/** What gives a namespace a range of ids. */
const mappers = ['newuidmap', 'newgidmap']

/** Who builds images on this machine. */
export async function findBuilder({ kind: isolation }: Pick<Isolation, 'kind'>): Promise<Builder> {
  const isRoot = process.getuid?.() === 0
  const [lacks, withoutRange] = await Promise.all([firstMissing(tools), isRoot ? undefined : whyNoRange()])
  return builderOn({ isolation, isRoot, withoutRange, lacks })
}

async function firstMissing(programs: readonly string[]): Promise<string | undefined> {
  const found = await Promise.all(programs.map(systemProgram))
  return programs.find((_, nth) => found[nth] === undefined)
}

/** Files of images belong to users up to this one. */
const leastIds = 65_536

async function whyNoRange(): Promise<string | undefined> {
  const lacks = await firstMissing(mappers)
  if (lacks !== undefined) return `${lacks} is not installed (the package uidmap)`
  const { username, uid } = userInfo()
  for (const file of ['/etc/subuid', '/etc/subgid']) {
    const text = await readFile(file, 'utf8').catch(() => '')
    if (idsIn(text, [username, String(uid)]) >= leastIds) continue
    return `${file} gives ${username} none, as the line ${username}:100000:${leastIds} would`
  }
  return undefined
}

/** How many ids a file such as `/etc/subuid` gives to one of these names: lines of `name:first:count`. */
export function idsIn(text: string, names: readonly string[]): number {
  const counts = text.split('\n').flatMap((line) => {
    const [name = '', first, count] = line.split(':')
    return names.includes(name) && Number(first) > 0 ? Number(count) || 0 : []
  })
  return Math.max(0, ...counts)
}

/** The same for people: what a runner says when it starts. */
export function saidOf(builder: Builder): string {
  if (builder === 'root') return 'as root'
  return builder === 'range' ? 'as its user, with a range of user ids' : `no: ${builder.missing}`
}
