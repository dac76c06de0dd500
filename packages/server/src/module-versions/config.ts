import { deploymentTypes } from '@sluice/contract'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { DeclaredInput } from '../deployments/inputs.ts'
import { DeployBlock } from '../deployments/resolve.ts'
import { faultsOf } from '../platform/http/faults.ts'

const Block = Type.Object({})

/** The config of a module version, as far as it is checked when it is published. */
const Config = Type.Object(
  {
    inputs: Type.Array(DeclaredInput),
    stack: Type.Optional(Block),
    build: Type.Optional(Block),
    deploy: Type.Optional(
      Type.Object({ ...DeployBlock.properties, type: Type.Enum(deploymentTypes, { description: 'Deployment type.' }) }),
    ),
    ui: Type.Optional(Block),
    readme: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)

// In its wrapper, so that the paths of the faults are those of the request.
const Published = Compile(Type.Object({ data: Type.Object({ config: Config }) }))

/** Every fault of a config that is to be published, each with its path in the request. */
export function configFaults(config: Record<string, unknown>): string[] {
  // In the language, null and absent are alike.
  const present = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null))
  const faults = faultsOf(Published, { data: { config: present } })
  return faults.length > 0 ? faults : repeatedIds(config)
}

/** What a checked config declares as the inputs of its instances. */
export const declaredInputs = (config: Record<string, unknown>): DeclaredInput[] =>
  (config as { inputs?: DeclaredInput[] }).inputs ?? []

function repeatedIds(config: Record<string, unknown>): string[] {
  const { deploy } = config as { deploy?: { inputs?: DeclaredInput[] } | null }
  return [
    ...repeatedIn(declaredInputs(config), '$.data.config.inputs'),
    ...repeatedIn(deploy?.inputs ?? [], '$.data.config.deploy.inputs'),
  ]
}

function repeatedIn(inputs: DeclaredInput[], path: string): string[] {
  const seen = new Set<string>()
  return inputs.flatMap(({ id }, index) => {
    if (!seen.has(id)) {
      seen.add(id)
      return []
    }
    return [`${path}[${index}].id: expected another id, ${id} is there already`]
  })
}
