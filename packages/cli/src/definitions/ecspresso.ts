import { jsonPathSuffix } from '@sluice/contract/json-path'
import { withoutNulls } from '@sluice/server/modules/module-versions/config/absent'
import { faultsOf } from '@sluice/server/platform/http/faults'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Json, ParseResult } from './defined.ts'
import { withoutEmptyTexts } from './empty-texts.ts'
import { hasVariable } from './texts.ts'

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

/** Contents of `ecspresso.yml`; the files are next to it. */
export type EcspressoConfig = {
  region?: string
  cluster?: string
  service?: string
  taskDefinitionFile: string
  serviceDefinitionFile?: string
}

/** Reads the configuration of ecspresso (https://github.com/kayac/ecspresso, read 2026-11). */
export function readEcspresso(value: unknown): ParseResult<EcspressoConfig> {
  const { value: given, remarks } = withoutEmptyTexts(withoutNulls(value), '$')
  const faults = faultsOf(validator, given)
  if (faults.length > 0) return { faults }
  const { region, cluster, service, task_definition, service_definition } = given as Static<typeof Config>
  const isVariable = region !== undefined && hasVariable(region)
  return {
    found: {
      ...(region !== undefined && !isVariable && { region }),
      ...(cluster !== undefined && { cluster }),
      ...(service !== undefined && { service }),
      taskDefinitionFile: task_definition,
      ...(service_definition !== undefined && { serviceDefinitionFile: service_definition }),
    },
    remarks: [
      ...remarks,
      ...(isVariable
        ? [{ path: '$.region', why: 'it is a variable: the region is taken from the ARN of the cluster' }]
        : []),
      ...Object.keys(given as Json)
        .filter((name) => !Object.hasOwn(Config.properties, name))
        .map((name) => ({ path: `$${jsonPathSuffix(name)}`, why: 'an option of ecspresso itself' })),
    ],
  }
}
