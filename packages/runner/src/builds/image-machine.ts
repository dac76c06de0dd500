import { findRange } from '../isolation/ids.ts'
import type { Isolation } from '../isolation/isolation.ts'
import { systemProgram } from '../isolation/machine.ts'
import type { BuildsAs } from './store.ts'

/** What decides whether a machine can build images, and as whom. */
export type Machine = {
  isolation: Isolation['kind']
  isRoot: boolean
  /** What keeps its namespaces from having a range of ids; undefined where they have one. */
  withoutRange: string | undefined
  /** The first of the tools that is not installed. */
  lacks: string | undefined
}

/** Who builds images; or why nobody does. */
export type Builder = BuildsAs | { missing: string }

/**
 * What runs in a Dockerfile needs a range of user ids. An image is never given less of a sandbox than its runner
 * promises.
 */
export function builderOn({ isolation, isRoot, withoutRange, lacks }: Machine): Builder {
  if (lacks !== undefined) return { missing: `${lacks} is not installed` }
  if (isolation === 'none' && isRoot) return 'root'
  if (withoutRange === undefined) return isolation === 'none' ? 'range' : 'sandbox'
  const what = isolation === 'none' ? 'it does not run as root' : 'its programs are in a sandbox'
  return { missing: `${what}, and an image takes a range of user ids: ${withoutRange}` }
}

/** What builds images, and what keeps that apart. */
const tools = ['buildah', 'unshare', 'mount']

/** Who builds images on this machine. */
export async function findBuilder(isolation: Pick<Isolation, 'kind' | 'withoutRange'>): Promise<Builder> {
  const isRoot = process.getuid?.() === 0
  const { kind } = isolation
  const [lacks, withoutRange] = await Promise.all([
    firstMissing(tools),
    kind === 'none' ? whyNoRange() : isolation.withoutRange,
  ])
  return builderOn({ isolation: kind, isRoot, withoutRange, lacks })
}

async function firstMissing(programs: readonly string[]): Promise<string | undefined> {
  const found = await Promise.all(programs.map(systemProgram))
  return programs.find((_, nth) => found[nth] === undefined)
}

async function whyNoRange(): Promise<string | undefined> {
  const range = await findRange()
  return 'missing' in range ? range.missing : undefined
}

/** The same for people: what a runner says when it starts. */
export function saidOf(builder: Builder): string {
  return typeof builder === 'string' ? said[builder] : `no: ${builder.missing}`
}

const said: Record<BuildsAs, string> = {
  sandbox: 'in a sandbox, with a range of user ids',
  root: 'as root',
  range: 'as its user, with a range of user ids',
}
