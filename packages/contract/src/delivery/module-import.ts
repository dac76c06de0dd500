import { type Static, Type } from 'typebox'
import { Description, Name } from '../modules/naming.ts'
import { FreeFormObject } from '../values/free-form.ts'
import { Id, NewGivenId } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

const closed = { additionalProperties: false } as const

/** What can be imported, by the type of the deployments that release to it from then on. */
export const importableTypes = ['cloud:ecs', 'cloud:lambda'] as const
export const ImportableType = Type.Enum(importableTypes, {
  description: 'A container service or a function.',
})
export type ImportableType = Static<typeof ImportableType>

const ResourceArn = Type.String({
  pattern: '^arn:[a-z-]+:(ecs:[a-z0-9-]+:\\d{12}:service/[^/\\s]+/|lambda:[a-z0-9-]+:\\d{12}:function:)[^:/\\s]+$',
  maxLength: 400,
  title: 'the ARN of a container service, or of a function without version or alias',
  examples: ['arn:aws:ecs:eu-west-1:123456789012:service/shop/web'],
  description: 'What runs in a connected cloud account.',
})

export const ImportableResource = Type.Object(
  {
    type: ImportableType,
    resourceArn: ResourceArn,
    name: Type.String({ description: 'What it is called in the cloud.' }),
    group: Type.Optional(Type.String({ description: 'What it is in: the cluster of a service.' })),
    runs: Type.Optional(Type.String({ description: 'What it runs, as far as the list of the cloud says it.' })),
    moduleInstanceId: Type.Optional({ ...Id, description: 'The module instance that releases to it already.' }),
  },
  { ...closed, description: 'What runs in a cloud account.' },
)
export type ImportableResource = Static<typeof ImportableResource>

export const ImportableResourcePage = Type.Object(
  {
    data: Type.Array(ImportableResource),
    meta: Type.Object(
      {
        limit: Type.Integer({ description: 'The page size that was asked for; a page may be longer or shorter.' }),
        nextCursor: Type.String({ description: 'What leads on; empty where the list ends.' }),
        error: Type.Optional(UserFacingError),
      },
      {
        ...closed,
        description: 'Where this page lies, or why there is none. How many there are in all, the cloud does not say.',
      },
    ),
  },
  { ...closed, description: 'What runs in one region of a cloud account.' },
)
export type ImportableResourcePage = Static<typeof ImportableResourcePage>

export const ImportModuleInstance = Type.Object(
  {
    environmentId: Id,
    resourceArn: ResourceArn,
    aliasName: Type.Optional(
      Type.String({
        // Not a number; said without looking ahead, which not every reader of the description can.
        pattern: '^[0-9]*[a-zA-Z_-][a-zA-Z0-9_-]*$',
        maxLength: 128,
        examples: ['live'],
        description: 'Of a function: the alias by which it is called. Needed where it has several.',
      }),
    ),
    givenId: NewGivenId,
    name: Name,
    description: Type.Optional(Description),
    input: Type.Optional({
      ...FreeFormObject,
      description: 'Values instead of those that are read, and such as the cloud does not tell.',
    }),
    dryRun: Type.Optional(Type.Boolean({ description: 'Only read and compare, store nothing.' })),
  },
  { ...closed, description: 'What runs already, to be released from here on. Nothing in the cloud is changed.' },
)
export type ImportModuleInstance = Static<typeof ImportModuleInstance>

export const ImportRemark = Type.Object(
  {
    subject: Type.String({ description: 'What it is about, as the cloud names it.' }),
    message: Type.String({ description: 'What is not taken over, or is other than it was from the next release on.' }),
  },
  { ...closed, description: 'Something to know before the import.' },
)
export type ImportRemark = Static<typeof ImportRemark>

export const ModuleImport = Type.Object(
  {
    moduleInstanceId: Type.Optional({ ...Id, description: 'The new module instance; absent after a dry run.' }),
    deploymentId: Type.Optional({ ...Id, description: 'The deployment that stands for what runs already.' }),
    moduleType: Type.String({ description: 'The module that it becomes an instance of.' }),
    input: Type.Object({}, { additionalProperties: true, description: 'The input of the instance, as it was read.' }),
    running: Type.Object(
      {
        version: Type.Optional(Type.String({ description: 'In a word, as releases are called.' })),
        what: Type.String({ description: 'The task definition, the version of the function or the directory.' }),
        since: Type.Optional(UtcDateTime),
      },
      { ...closed, description: 'What runs, and is recorded as the first release.' },
    ),
    remarks: Type.Array(ImportRemark),
  },
  { ...closed, description: 'What an import makes, or would make.' },
)
export type ModuleImport = Static<typeof ModuleImport>
