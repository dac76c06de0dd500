import {
  CloudAccount,
  CodeSource,
  DefaultValue,
  Deployment,
  EcsDeploymentData,
  IacChangeSummary,
  IacResource,
  ListMeta,
  ModuleDefinition,
  ModuleInstance,
  Pipeline,
  PipelineStepExecution,
  PipelineVersion,
  PipelineVersionDryRun,
  Principal,
  routes,
  UserFacingError,
} from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import type { Shape } from './shape.fixture.ts'
import * as shapes from './shapes.fixture.ts'

const { 'data?': ecsData, ...deployment } = shapes.deployment as Record<string, Shape>

/** Shape of each resource in the specification, and the schema of responses. */
const specified: Record<string, { shape: Shape | undefined; schema: object }> = {
  CloudAccount: { shape: shapes.cloudAccount, schema: CloudAccount },
  CodeSource: { shape: shapes.codeSource, schema: CodeSource },
  DefaultValue: { shape: shapes.defaultValue, schema: DefaultValue },
  Deployment: { shape: { ...deployment, 'data?': 'any' }, schema: withoutParts(Deployment, 'data') },
  'DeploymentData of cloud:ecs': { shape: ecsData, schema: EcsDeploymentData },
  IacChangeSummary: { shape: shapes.changeSummary, schema: IacChangeSummary },
  IacResource: { shape: shapes.iacResource, schema: IacResource },
  ModuleDefinition: { shape: shapes.moduleDefinition, schema: ModuleDefinition },
  ModuleInstance: { shape: shapes.moduleInstance, schema: ModuleInstance },
  Pipeline: { shape: shapes.pipeline, schema: Pipeline },
  PipelineStepExecution: { shape: shapes.pipelineStepExecution, schema: PipelineStepExecution },
  PipelineVersion: { shape: shapes.pipelineVersion, schema: PipelineVersion },
  PipelineVersionDryRun: { shape: shapes.pipelineVersionDryRun, schema: PipelineVersionDryRun },
  Principal: { shape: shapes.principal, schema: Principal },
  UserFacingError: { shape: shapes.userFacingError, schema: UserFacingError },
  'meta of a list': { shape: { limit: 'integer', nextCursor: 'string', totalCount: 'integer' }, schema: ListMeta },
}

test(
  'every resource has exactly the fields of the specification',
  everyCase(Object.entries(specified), (_, one) => {
    expect(fieldsOfSchema(one.schema)).toEqual(fieldsOfShape(one.shape))
  }),
)

test('besides data and meta, a response contains only what was requested', () => {
  for (const { operationId, query, response } of Object.values(routes) as Answering[]) {
    const { properties = {}, required = [] } = (response[1] ?? {}) as Schema
    if (!('included' in properties)) continue
    expect(required, operationId).not.toContain('included')
    const names = (query?.properties?.include as Schema | undefined)?.items?.enum ?? []
    expect(Object.keys((properties.included as Schema).properties ?? {}), operationId).toEqual(names)
  }
})

type Schema = {
  anyOf?: Schema[]
  properties?: Record<string, object>
  required?: string[]
  items?: Schema & { enum?: string[] }
  additionalProperties?: unknown
}
type Answering = { operationId: string; query?: Schema; response: readonly [number, object?] }

/** Returns the full names of all fields of a shape, such as `events[].hookId`, sorted. */
function fieldsOfShape(shape: Shape | undefined): string[] {
  if (typeof shape !== 'object' || 'oneOf' in shape) return []
  if ('each' in shape) return fieldsOfShape(shape.each).map((name) => `[]${name}`)
  return Object.entries(shape)
    .flatMap(([name, field]) => {
      const own = `.${name.replace(/\?$/, '')}`
      return [own, ...fieldsOfShape(field).map((inner) => own + inner)]
    })
    .toSorted()
}

/** Returns the full names of all fields of a schema; a free-form object has none. */
function fieldsOfSchema({ anyOf, properties, items, additionalProperties }: Schema): string[] {
  if (anyOf) return [...new Set(anyOf.flatMap(fieldsOfSchema))].toSorted()
  if (items) return fieldsOfSchema(items).map((name) => `[]${name}`)
  if (!properties || additionalProperties !== false) return []
  return Object.entries(properties)
    .flatMap(([name, field]) => [`.${name}`, ...fieldsOfSchema(field).map((inner) => `.${name}${inner}`)])
    .toSorted()
}

/** Returns the schema with one field that accepts any value. */
function withoutParts(schema: { properties: Record<string, object> }, name: string): object {
  return { ...schema, properties: { ...schema.properties, [name]: {} } }
}
