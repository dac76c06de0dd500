import { check, type Shape } from '@sluice/expressions'
import { type InputPosition, inputPositionsIn } from './inputs.ts'

/** Input ids that templates can name; `any` if the inputs themselves are invalid. */
export type Known = {
  module: readonly string[] | 'any'
  build: readonly string[] | 'any'
  deploy: readonly string[] | 'any'
}

type Roots = { readonly [name: string]: Shape }

const named = (ids: readonly string[] | 'any'): Shape =>
  ids === 'any' ? 'any' : Object.fromEntries(ids.map((id) => [id, 'any'] as const))

const given: Shape = { given_id: 'any' }
const ref: Shape = { input: 'any', stack: { output: 'any' } }

/** Returns the variables that templates can read, by place. */
export function rootsOf(known: Known) {
  const module: Shape = { id: 'any', given_id: 'any', input: named(known.module) }
  const inBlocks: Roots = { module, project: given, environment: given, stack: { id: 'any' }, defaults: 'any' }
  const applied: Roots = { ...inBlocks, stack: { id: 'any', output: 'any' } }
  const ofModule: Roots = {
    module: { given_id: 'any', input: named(known.module) },
    project: given,
    environment: given,
  }
  const inputDefaults: Record<keyof Known, Roots> = {
    module: ofModule,
    build: { ...ofModule, build: { input: named(known.build) } },
    deploy: { ...ofModule, deploy: { input: named(known.deploy) } },
  }
  const pipeline: Shape = { run: { id: 'any' } }
  const { defaults: _, ...ui } = applied
  return {
    inputDefaults,
    stack: inBlocks,
    triggerRun: { ...inBlocks, trigger: { payload: 'any' } } satisfies Roots,
    build: { ...applied, build: { input: named(known.build) }, pipeline },
    deploy: { ...applied, deploy: { input: named(known.deploy) }, pipeline },
    ui,
  }
}

export type BlockRoots = ReturnType<typeof rootsOf>

/** Returns errors for templates in blocks that do not parse or use unknown variables. */
export function blockFaults(config: Record<string, unknown>, path: string, roots: BlockRoots): string[] {
  const { build, deploy, stack, ui } = config
  const { rest, runs } = withoutRuns(stack)
  return [
    ...lines(rest, roots.stack, `${path}.stack`),
    ...runs.flatMap(({ run, below }) => lines(run, roots.triggerRun, `${path}.stack${below}`)),
    ...(isSwitchedOff(build) ? [] : lines(withoutInputs(build), roots.build, `${path}.build`)),
    ...lines(withoutInputs(deploy), roots.deploy, `${path}.deploy`),
    ...lines(ui, roots.ui, `${path}.ui`),
  ]
}

/** Returns the same errors for defaults and providers of a scope's inputs and items. */
export function defaultTemplateFaults(scope: readonly InputPosition[], roots: BlockRoots, name: keyof Known): string[] {
  const own = roots.inputDefaults[name]
  return scope.flatMap(({ input, path, reference }) => {
    const seen = reference ? { ...own, ref } : own
    return [
      ...lines(input.default, seen, `${path}.default`),
      ...(typeof input.values === 'string' ? lines(input.values, seen, `${path}.values`) : []),
      ...defaultTemplateFaults(inputPositionsIn(input.item_inputs ?? [], `${path}.item_inputs`), roots, name),
    ]
  })
}

const lines = (value: unknown, roots: Roots, path: string): string[] =>
  check(value, roots, path).map((fault) => `${fault.path}: ${fault.message}`)

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const isSwitchedOff = (build: unknown): boolean => membersOf(build).type === 'disabled'

function withoutInputs(block: unknown): unknown {
  if (typeof block !== 'object' || block === null) return block
  const { inputs: _, ...rest } = block as Record<string, unknown>
  return rest
}

/** Separates the runs of triggers from a stack block, because only they can read the event. */
function withoutRuns(stack: unknown): { rest: unknown; runs: { run: unknown; below: string }[] } {
  const { pipelines } = membersOf(stack)
  const { change } = membersOf(pipelines)
  const { triggers } = membersOf(change)
  if (!Array.isArray(triggers)) return { rest: stack, runs: [] }
  const runs = triggers.map((trigger, index) => ({
    run: membersOf(trigger).run,
    below: `.pipelines.change.triggers[${index}].run`,
  }))
  const kept = triggers.map((trigger: unknown) => {
    if (typeof trigger !== 'object' || trigger === null) return trigger
    const { run: _, ...rest } = trigger as Record<string, unknown>
    return rest
  })
  const rest = {
    ...membersOf(stack),
    pipelines: { ...membersOf(pipelines), change: { ...membersOf(change), triggers: kept } },
  }
  return { rest, runs }
}
