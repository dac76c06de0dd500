import { member } from '@sluice/contract/json-path'
import { faultsOf } from '@sluice/server/platform/http/faults'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Json, Read } from './defined.ts'

const text = Type.String({ minLength: 1, maxLength: 1_000 })

const Config = Type.Object(
  {
    region: Type.Optional(text),
    cluster: Type.Optional(text),
    service: Type.Optional(text),
    task_definition: text,
    service_definition: Type.Optional(text),
  },
  { additionalProperties: true },
)
const validator = Compile(Config)

/** What `ecspresso.yml` names: the files lie beside it. */
export type EcspressoConfig = {
  region?: string
  cluster?: string
  service?: string
  taskDefinitionFile: string
  serviceDefinitionFile?: string
}

/** Reads the configuration of ecspresso (https://github.com/kayac/ecspresso, read 2026-11). */
export function readEcspresso(value: unknown): Read<EcspressoConfig> {
  const faults = faultsOf(validator, value)
  if (faults.length > 0) return { faults }
  const { region, cluster, service, task_definition, service_definition } = value as Static<typeof Config>
  return {
    found: {
      ...(region !== undefined && { region }),
      // It may be written as an ARN, too.
      ...(cluster !== undefined && { cluster: cluster.split('/').at(-1) ?? cluster }),
      ...(service !== undefined && { service }),
      taskDefinitionFile: task_definition,
      ...(service_definition !== undefined && { serviceDefinitionFile: service_definition }),
    },
    remarks: Object.keys(value as Json)
      .filter((name) => !Object.hasOwn(Config.properties, name))
      .map((name) => ({ path: `$${member(name)}`, why: 'it is for ecspresso itself' })),
  }
}
