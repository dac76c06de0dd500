import { type TSchema, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { faultsOf } from '../../platform/http/faults.ts'
import { settled } from '../module-instances/inputs/patterns/settle.ts'
import { withoutNulls } from './config/absent.ts'
import { publishedFaults } from './config/deploy-block.ts'
import { type ConfigFinding, inputFaults, type Place, placesIn } from './config/inputs.ts'
import { taskDefinitionFaults, withRemedy } from './config/pasted.ts'
import { configLike, type InputDefinition, referencePrefix } from './config/schema.ts'
import { templatePattern } from './config/templated.ts'
import { blockFaults, defaultTemplateFaults, type Known, rootsOf } from './config/templates.ts'
import { triggerFaults } from './config/triggers.ts'

/** Where a config stands in the request that publishes it. */
const root = '$.data.config'

export type CheckedConfig = {
  /** Everything that is wrong with it by itself, each with its path in the request. */
  faults: string[]
  /** The types of the definitions that its inputs refer to, each with the path where. */
  referred: { type: string; path: string }[]
}

/** The largest definition in use has 182. Some checks take time by the square of their number. */
const mostInputs = 2000

/** Checks a config that is to be published. Patterns of defaults may `ask`. */
export function checkConfig(config: Record<string, unknown>): CheckedConfig {
  const present = withoutNulls(config) as Config
  const areTooMany = hasTooMany(present)
  const shape = [
    ...(areTooMany ? [`${root}.inputs: expected at most ${mostInputs} inputs in all`] : []),
    ...shapeFaults(present),
  ]
  // It cannot be told which parts are right, and nothing more is looked at.
  if (shape.some((fault) => fault.startsWith('$: '))) return { faults: shape, referred: [] }
  const scopes = scopesOf(present).map((scope): Scope => {
    // What is said about inputs beyond their shape takes it for granted.
    const isRight = !areTooMany && !shape.some((fault) => fault.startsWith(scope.path))
    return { ...scope, places: isRight ? placesIn(scope.inputs, scope.path) : undefined }
  })
  const idsOf = (name: Scope['name']) =>
    scopes.find((scope) => scope.name === name)?.places?.map(({ input }) => input.id) ?? 'any'
  const known: Known = { module: idsOf('module'), build: idsOf('build'), deploy: idsOf('deploy') }
  const roots = rootsOf(known)
  const right = scopes.flatMap(({ places, ...scope }) => (places ? [{ ...scope, places }] : []))
  return { faults: settled(firstOf(findings())), referred: right.flatMap(({ places }) => referredIn(places)) }

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

/** More faults than these help nobody. */
const mostFaults = 1000
/** Elements of lists that are defaults count each. */
const mostChecks = 20_000

function firstOf(findings: Generator<ConfigFinding>): ConfigFinding[] {
  const first: ConfigFinding[] = []
  let faults = 0
  for (const finding of findings) {
    first.push(finding)
    if (typeof finding === 'string') faults += 1
    if (faults === mostFaults) break
    if (first.length === mostChecks)
      return [`${root}.inputs: expected fewer than ${mostChecks} texts to try on patterns`]
  }
  return first
}

/** A config as far as it is looked into before its shape is known to be right. */
type Config = {
  inputs?: InputDefinition[]
  build?: { type?: unknown; inputs?: InputDefinition[] }
  deploy?: { type?: unknown; inputs?: InputDefinition[]; task_definition?: unknown }
}

type Scope = {
  name: 'module' | 'build' | 'deploy'
  inputs: InputDefinition[]
  path: string
  /** Undefined where the shape of the inputs is wrong. */
  places?: Place[] | undefined
}

/** The scopes of a config, each with its inputs. */
export const scopesOf = ({ inputs, build, deploy }: Config): Scope[] => [
  { name: 'module', inputs: inputs ?? [], path: `${root}.inputs` },
  { name: 'build', inputs: build?.type === 'disabled' ? [] : (build?.inputs ?? []), path: `${root}.build.inputs` },
  { name: 'deploy', inputs: deploy?.inputs ?? [], path: `${root}.deploy.inputs` },
]

/** Counts whatever is in a list of inputs, right or not. */
function hasTooMany(config: Config): boolean {
  let count = 0
  const visit = (inputs: unknown): void => {
    if (!Array.isArray(inputs)) return
    count += inputs.length
    for (const input of inputs) {
      if (count > mostInputs) return
      visit(input?.mapped_inputs)
      visit(input?.item_inputs)
    }
  }
  for (const { inputs } of scopesOf(config)) visit(inputs)
  return count > mostInputs
}

const referredIn = (places: readonly Place[]): CheckedConfig['referred'] =>
  places.flatMap(({ input: { type, item_inputs = [] }, path }) => [
    ...(type.startsWith(referencePrefix) ? [{ type: type.slice(referencePrefix.length), path: `${path}.type` }] : []),
    ...referredIn(placesIn(item_inputs, `${path}.item_inputs`)),
  ])

const validators = new Map<string, Validator>()

/** Compiled when one is first needed: most processes never publish anything. */
function validatorFor(schema: () => TSchema, key: string): Validator {
  const known = validators.get(key)
  if (known) return known
  // In its wrapper, so that the paths of the faults are those of the request.
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
