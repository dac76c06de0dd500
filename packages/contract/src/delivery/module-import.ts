import { type Static, Type } from 'typebox'
import { Description, Name } from '../modules/naming.ts'
import { FreeFormObject } from '../values/free-form.ts'
import { Id, NewGivenId } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

const closed = { additionalProperties: false } as const

/** Deployment types whose resources can be imported. */
export const importableTypes = ['cloud:ecs', 'cloud:lambda'] as const
export const ImportableType = Type.Enum(importableTypes, {
  description: 'Type of the resource: a container service or a function.',
})
export type ImportableType = Static<typeof ImportableType>

const ResourceArn = Type.String({
  pattern: '^arn:[a-z-]+:(ecs:[a-z0-9-]+:\\d{12}:service/[^/\\s]+/|lambda:[a-z0-9-]+:\\d{12}:function:)[^:/\\s]+$',
  maxLength: 400,
  title: 'the ARN of a container service, or of a function without version or alias',
  examples: ['arn:aws:ecs:eu-west-1:123456789012:service/shop/web'],
  description: 'ARN of a resource in a connected cloud account.',
})

export const ImportableResource = Type.Object(
  {
    type: ImportableType,
    resourceArn: ResourceArn,
    name: Type.String({ description: 'Name of the resource in the cloud.' }),
    group: Type.Optional(Type.String({ description: 'Cluster of a container service.' })),
    runs: Type.Optional(
      Type.String({ description: "Version that the resource runs, as far as the cloud's list includes it." }),
    ),
    moduleInstanceId: Type.Optional({
      ...Id,
      description: 'ID of the module instance that already releases to the resource.',
    }),
  },
  { ...closed, description: 'Resource that can be imported.' },
)
export type ImportableResource = Static<typeof ImportableResource>

export const ImportableResourcePage = Type.Object(
  {
    data: Type.Array(ImportableResource),
    meta: Type.Object(
      {
        limit: Type.Integer({ description: 'Requested page size. A page can be longer or shorter.' }),
        nextCursor: Type.String({ description: 'Cursor of the next page. Empty on the last page.' }),
        error: Type.Optional(UserFacingError),
      },
      {
        ...closed,
        description:
          'Pagination metadata, or the error of the cloud. There is no total count because the cloud does not return one.',
      },
    ),
  },
  { ...closed, description: 'Resources in one region of a cloud account.' },
)
export type ImportableResourcePage = Static<typeof ImportableResourcePage>

export const ImportModuleInstance = Type.Object(
  {
    environmentId: Id,
    resourceArn: ResourceArn,
    aliasName: Type.Optional(
      Type.String({
        // Excludes numbers without a lookahead, which not every OpenAPI tool supports.
        pattern: '^[0-9]*[a-zA-Z_-][a-zA-Z0-9_-]*$',
        maxLength: 128,
        examples: ['live'],
        description: 'Alias through which the function is invoked. Required if the function has several aliases.',
      }),
    ),
    givenId: NewGivenId,
    name: Name,
    description: Type.Optional(Description),
    input: Type.Optional({
      ...FreeFormObject,
      description: 'Inputs that replace or complete the values read from the cloud.',
    }),
    dryRun: Type.Optional(
      Type.Boolean({ description: 'Whether to validate and compare without storing anything. Defaults to false.' }),
    ),
  },
  { ...closed, description: 'Running resource to import. The import changes nothing in the cloud.' },
)
export type ImportModuleInstance = Static<typeof ImportModuleInstance>

export const ImportRemark = Type.Object(
  {
    subject: Type.String({ description: 'Setting or resource that the remark concerns, as named by the cloud.' }),
    message: Type.String({ description: 'What is not imported, or what changes with the next release.' }),
  },
  { ...closed, description: 'Remark to consider before the import.' },
)
export type ImportRemark = Static<typeof ImportRemark>

export const ModuleImport = Type.Object(
  {
    moduleInstanceId: Type.Optional({ ...Id, description: 'ID of the new module instance. Absent after a dry run.' }),
    deploymentId: Type.Optional({ ...Id, description: 'ID of the deployment that represents the running release.' }),
    moduleType: Type.String({ description: 'Type of the module that is instantiated.' }),
    input: Type.Object(
      {},
      { additionalProperties: true, description: 'Inputs of the module instance as read from the cloud.' },
    ),
    running: Type.Object(
      {
        version: Type.Optional(Type.String({ description: 'Version of the running release.' })),
        what: Type.String({ description: 'Running task definition, function version or directory.' }),
        since: Type.Optional(UtcDateTime),
      },
      { ...closed, description: 'Running release, recorded as the first deployment.' },
    ),
    remarks: Type.Array(ImportRemark),
  },
  { ...closed, description: 'Result of an import or of its dry run.' },
)
export type ModuleImport = Static<typeof ModuleImport>
