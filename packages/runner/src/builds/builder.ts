import { findIdRange } from '../isolation/ids.ts'
import type { Isolation } from '../isolation/isolation.ts'
import { findSystemProgram } from '../isolation/machine.ts'
import type { BuilderType } from './image-store.ts'

/** Facts that decide whether and how a machine can build images. */
export type BuildMachine = {
  isolation: Isolation['kind']
  isRoot: boolean
  /** Why its user namespaces have no range of IDs; undefined if they have one. */
  idRangeProblem: string | undefined
  /** The first required tool that is not installed. */
  missingTool: string | undefined
}

/** How this machine builds images, or why it cannot. */
export type Builder = BuilderType | { missing: string }

/**
 * Selects how to build images. Programs of a Dockerfile need a range of user IDs. A build never gets less isolation
 * than the runner's setting promises.
 */
export function selectBuilder({ isolation, isRoot, idRangeProblem, missingTool }: BuildMachine): Builder {
  if (missingTool !== undefined) return { missing: `${missingTool} is not installed` }
  if (isolation === 'none' && isRoot) return 'root'
  if (idRangeProblem === undefined) return isolation === 'none' ? 'range' : 'sandbox'
  const what = isolation === 'none' ? 'it does not run as root' : 'its programs are in a sandbox'
  return { missing: `${what}, and building an image requires a range of user IDs: ${idRangeProblem}` }
}

/** Programs that build images or isolate the build. */
const requiredTools = ['buildah', 'unshare', 'mount']

/** Returns how this machine builds images. */
export async function findBuilder(isolation: Pick<Isolation, 'kind' | 'idRangeProblem'>): Promise<Builder> {
  const isRoot = process.getuid?.() === 0
  const { kind } = isolation
  const [missingTool, idRangeProblem] = await Promise.all([
    findMissingProgram(requiredTools),
    kind === 'none' ? findIdRangeProblem() : isolation.idRangeProblem,
  ])
  return selectBuilder({ isolation: kind, isRoot, idRangeProblem, missingTool })
}

async function findMissingProgram(programs: readonly string[]): Promise<string | undefined> {
  const found = await Promise.all(programs.map(findSystemProgram))
  return programs.find((_, nth) => found[nth] === undefined)
}

async function findIdRangeProblem(): Promise<string | undefined> {
  const range = await findIdRange()
  return 'missing' in range ? range.missing : undefined
}

/** Returns a description of the builder for the runner's log. */
export function describeBuilder(builder: Builder): string {
  return typeof builder === 'string' ? descriptions[builder] : `no: ${builder.missing}`
}

const descriptions: Record<BuilderType, string> = {
  sandbox: 'in a sandbox, with a range of user IDs',
  root: 'as root',
  range: 'as its user, with a range of user IDs',
}
