import { ExpressionError, render } from '@sluice/expressions'
import { readTarget, type TargetInstance } from '../../delivery/deployments/create/target.ts'
import { faultLine, resolveInputs } from '../../modules/module-instances/inputs/resolve.ts'
import { withoutNulls } from '../../modules/module-versions/config/absent.ts'
import type { InputDefinition } from '../../modules/module-versions/config/schema.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { defaultsRoot, nearestDefaults } from '../../projects/default-values/nearest.ts'
import { type ReadBuild, readBuild } from './block.ts'

type Json = Record<string, unknown>

export type RenderedBuild =
  | Exclude<ReadBuild, { verdict: 'read' }>
  /** With the secrets that the credentials of its destination contain. */
  | (Extract<ReadBuild, { verdict: 'read' }> & { inputs: Json; secrets: string[] })
  | { verdict: 'inputs-wrong'; faults: string[] }

/** Renders the build block of an instance's module version with the inputs of one build. */
export async function renderBuild(
  db: Db,
  { instance, placed }: TargetInstance,
  { inputs: given, pipelineRunId, seal }: { inputs: Json; pipelineRunId: string; seal: Seal },
): Promise<RenderedBuild> {
  const written = withoutNulls(placed.version.config.build ?? null) as Json | null
  if (written === null) return { verdict: 'wrong', faults: ['build: this version of the module has none'] }
  if (written.type === 'disabled') return { verdict: 'disabled' }
  const sealed = new Set<string>()
  const block = { name: 'build', templates: written } as const
  const read = await readTarget(db, instance.organizationId, placed, block, (key) => sealed.add(key))
  if ('faults' in read) return { verdict: 'wrong', faults: read.faults }
  if (read.inputs.faults.length > 0) return { verdict: 'wrong', faults: read.inputs.faults.map(faultLine) }

  const { inputs: declared = [], ...parts } = written
  const { target } = read
  const surroundings = { of: 'build', roots: target, outer: target.module.input } as const
  const { values, faults } = resolveInputs(declared as InputDefinition[], given, surroundings, 'inputs')
  if (faults.length > 0) return { verdict: 'inputs-wrong', faults: faults.map(faultLine) }
  const roots = { ...target, build: { input: values }, pipeline: { run: { id: pipelineRunId } } }
  const access = accessIn(parts.destinations)
  const nearest = access.some(({ templates }) => readsDefaults(templates))
    ? await nearestDefaults(db, instance.organizationId, placed)
    : []
  const secrets: string[] = []
  const defaults = defaultsRoot(seal, nearest, { reads: () => {}, opened: (value) => secrets.push(String(value)) })
  const withAccess = (block: unknown) => {
    for (const { nth, templates } of access) {
      const { destinations } = block as { destinations: Json[] }
      Object.assign(
        destinations[nth] ?? {},
        render(templates, { ...roots, ...(nearest.length > 0 && { defaults }) }, 'build'),
      )
    }
    return block
  }
  const result = rendered(withoutAccess(parts), roots, withAccess)
  // The request for a variable is visible; a secret belongs into the step's variables.
  const seen = [...sealed].map(
    (key) => `build: defaults.${key} is sensitive; give it as a variable of the step instead`,
  )
  if (seen.length > 0) return { verdict: 'wrong', faults: seen }
  return result.verdict === 'read' ? { ...result, inputs: values, secrets } : result
}

/**
 * Returns the credential templates of a block's destinations. They are the only part that is never shown, so only they
 * may contain secrets.
 */
function accessIn(destinations: unknown): { nth: number; templates: Json }[] {
  if (!Array.isArray(destinations)) return []
  return destinations.flatMap((one: Json, nth) => {
    const { username, password } = one
    return username === undefined && password === undefined ? [] : [{ nth, templates: { username, password } }]
  })
}

const withoutAccess = ({ destinations, ...parts }: Json): Json => ({
  ...parts,
  ...(destinations !== undefined && {
    destinations: Array.isArray(destinations)
      ? destinations.map(({ username: _, password: __, ...one }: Json) => one)
      : destinations,
  }),
})

const readsDefaults = (templates: Json): boolean => /\bdefaults\b/.test(JSON.stringify(templates))

function rendered(parts: Json, roots: Json, withAccess: (block: unknown) => unknown): ReadBuild {
  try {
    return readBuild(withAccess(render(parts, roots, 'build')))
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return { verdict: 'wrong', faults: error.faults.map(({ path, message }) => `${path}: ${message}`) }
  }
}
