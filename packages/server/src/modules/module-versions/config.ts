import { type TSchema, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { faultsOf } from '../../platform/http/faults.ts'
import { runPatternChecks } from '../module-instances/inputs/patterns/settle.ts'
import { withoutNulls } from './config/absent.ts'
import { publishedFaults } from './config/deploy-block.ts'
import { type ConfigFinding, type InputPosition, inputFaults, inputPositionsIn } from './config/inputs.ts'
import { taskDefinitionFaults, withRemedy } from './config/pasted.ts'
import { configLike, type InputDefinition, referencePrefix } from './config/schema.ts'
import { templatePattern } from './config/templated.ts'
import { blockFaults, defaultTemplateFaults, type Known, rootsOf } from './config/templates.ts'
import { triggerFaults } from './config/triggers.ts'

/** Path of the config in the request. */
const root = '$.data.config'

export type CheckedConfig = {
  /** All errors, with paths in the request. */
  faults: string[]
  /** Definition types that the inputs refer to, with paths. */
  referred: { type: string; path: string }[]
}

/** Maximum number of inputs. The largest known definition has 182, and some checks take quadratic time. */
const maxInputs = 2000

/** Validates a config for publication. Patterns of defaults may be matched in a worker thread. */
export function checkConfig(config: Record<string, unknown>): CheckedConfig {
  const present = withoutNulls(config) as Config
  const areTooMany = hasTooMany(present)
  const shape = [
    ...(areTooMany ? [`${root}.inputs: expected at most ${maxInputs} inputs in all`] : []),
    ...shapeFaults(present),
  ]
  // The root is invalid, so nothing else can be checked.
  if (shape.some((fault) => fault.startsWith('$: '))) return { faults: shape, referred: [] }
  const scopes = scopesOf(present).map((scope): Scope => {
    // Further checks of inputs require a valid schema.
    const isRight = !areTooMany && !shape.some((fault) => fault.startsWith(scope.path))
    return { ...scope, places: isRight ? inputPositionsIn(scope.inputs, scope.path) : undefined }
  })
  const idsOf = (name: Scope['name']) =>
    scopes.find((scope) => scope.name === name)?.places?.map(({ input }) => input.id) ?? 'any'
  const known: Known = { module: idsOf('module'), build: idsOf('build'), deploy: idsOf('deploy') }
  const roots = rootsOf(known)
  const right = scopes.flatMap(({ places, ...scope }) => (places ? [{ ...scope, places }] : []))
  return { faults: runPatternChecks(firstOf(findings())), referred: right.flatMap(({ places }) => referredIn(places)) }

  function* findings(): Generator<ConfigFinding> {
    yield* shape
    for (const { name, inputs, path } of right) {
      // Conditions in a build and a deployment may name inputs of the module as well.
      yield* inputFaults(inputs, path, { scope: name, outer: name === 'module' ? [] : known.module })
    }
    for (const { name, places } of right) yield* defaultTemplateFaults(places, roots, name)
    yield* blockFaults(present, root, roots)
    yield* triggerFaults(config.stack, `${root}.stack`)
    if (isObject(present.deploy)) {
      yield* publishedFaults(present.deploy, `${root}.deploy`, shape)
      yield* taskDefinitionFaults(present.deploy.task_definition, `${root}.deploy.task_definition`)
    }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Maximum number of errors to report. */
const maxFaults = 1000
/** Maximum number of checks; each element of a list default counts. */
const maxPatternChecks = 20_000

function firstOf(findings: Generator<ConfigFinding>): ConfigFinding[] {
  const first: ConfigFinding[] = []
  let faults = 0
  for (const finding of findings) {
    first.push(finding)
    if (typeof finding === 'string') faults += 1
    if (faults === maxFaults) break
    if (first.length === maxPatternChecks)
      return [`${root}.inputs: expected fewer than ${maxPatternChecks} texts to try on patterns`]
  }
  return first
}

/** Parts of a config that are read before its schema is validated. */
type Config = {
  inputs?: InputDefinition[]
  build?: { type?: unknown; inputs?: InputDefinition[] }
  deploy?: { type?: unknown; inputs?: InputDefinition[]; task_definition?: unknown }
}

type Scope = {
  name: 'module' | 'build' | 'deploy'
  inputs: InputDefinition[]
  path: string
  /** Undefined if the inputs do not match the schema. */
  places?: InputPosition[] | undefined
}

export const scopesOf = ({ inputs, build, deploy }: Config): Scope[] => [
  { name: 'module', inputs: inputs ?? [], path: `${root}.inputs` },
  { name: 'build', inputs: build?.type === 'disabled' ? [] : (build?.inputs ?? []), path: `${root}.build.inputs` },
  { name: 'deploy', inputs: deploy?.inputs ?? [], path: `${root}.deploy.inputs` },
]

/** Counts all entries in lists of inputs, valid or not. */
function hasTooMany(config: Config): boolean {
  let count = 0
  const visit = (inputs: unknown): void => {
    if (!Array.isArray(inputs)) return
    count += inputs.length
    for (const input of inputs) {
      if (count > maxInputs) return
      visit(input?.mapped_inputs)
      visit(input?.item_inputs)
    }
  }
  for (const { inputs } of scopesOf(config)) visit(inputs)
  return count > maxInputs
}

const referredIn = (places: readonly InputPosition[]): CheckedConfig['referred'] =>
  places.flatMap(({ input: { type, item_inputs = [] }, path }) => [
    ...(type.startsWith(referencePrefix) ? [{ type: type.slice(referencePrefix.length), path: `${path}.type` }] : []),
    ...referredIn(inputPositionsIn(item_inputs, `${path}.item_inputs`)),
  ])

const validators = new Map<string, Validator>()

/** Compiles a validator on first use, because most processes never publish anything. */
function validatorFor(schema: () => TSchema, key: string): Validator {
  const known = validators.get(key)
  if (known) return known
  // Wrapped like the request, so that error paths match.
  const validator = Compile(Type.Object({ data: Type.Object({ config: schema() }) }))
  validators.set(key, validator)
  return validator
}

function shapeFaults(config: Config): string[] {
  const { build, deploy } = config
  const { schema, key } = configLike(deploy?.type, build?.type)
  return faultsOf(validatorFor(schema, key), { data: { config } }).map((fault) =>
    withRemedy(
      fault.replace(`text that matches ${templatePattern}`, 'a template such as << … >>, or the value itself'),
      { root, deployType: deploy?.type },
    ),
  )
}
